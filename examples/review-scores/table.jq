# Means over the folds, in percent.
# Usage: jq -src -f table.jq FILE…

def mean($key): map(.[$key]) | add / length * 10 | round / 10 | tostring;

["from", "folds", "accuracy", "macro-F1"],
(group_by(.system)[] | [.[0].system, (length | tostring), mean("accuracy"), mean("macro_f1")])
| map(. + (" " * (22 - length))) | add | sub(" +$"; "")
