# Accuracy and macro-F1 of each system and direction: mean and standard deviation over the seeds (results of dt-score, slurped).
def spread: (add / length) as $mean | "\($mean * 10 | round / 10)"
  + if length > 1 then " ± \((map(. - $mean | . * .) | add) / (length - 1) | sqrt * 10 | round / 10)" else "" end;
["lang", "n", "system", "accuracy", "macro-F1", "seeds"],
(map(select(.group)) | group_by(.lang, .group)[] | map(select(.metric == "accuracy") | .mean) as $accuracy | map(select(.metric == "macro_f1") | .corpus) as $f1
 | [.[0].lang, .[0].n, .[0].group, ($accuracy | spread), ($f1 | spread), ($accuracy | length)])
| @tsv
