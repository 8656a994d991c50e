# Tables of all targets, in percent: the scores of each row, what is gained over "none", and, of the three kinds of first task,
# the most that is gained.
# Usage: jq -src --arg table scores|accuracy|macro_f1|kinds -f table.jq < FOLDS

def shown: . * 10 | round / 10 | tostring;
def signed: if . >= 0 then "+\(shown)" else shown end;
def mean($key): if . == [] then null else map(.[$key]) | add / length end;
def deviation($key): group_by(.repeat) | map(mean($key)) | if length == 1 then ""
  else (add / length) as $mean | " ± \((map(. - $mean | . * .) | add) / (length - 1) | sqrt | shown)" end;
def ordered($key): reduce .[] as $one ([]; if index([$one[$key]]) then . else . + [$one[$key]] end);
def kind: if . == "decision" then . elif endswith("-all") then "aspects" else "aspects + decision" end;

. as $all | ordered("target") as $targets | ordered("system") as $systems
| ($systems | map(select(. != "none" and . != "cnn"))) as $first
| def of($target; $system): $all | map(select(.target == $target and .system == $system));
  def gain($target; $system; $key): of($target; $system) | mean($key) - (of($target; "none") | mean($key));
  if $table == "scores" then
    ["target", "from", "folds", "accuracy", "macro-F1"],
    ($targets[] as $target | $systems[] as $system | of($target; $system)
     | [$target, $system, length, (mean("accuracy") | shown) + deviation("accuracy"), (mean("macro_f1") | shown) + deviation("macro_f1")])
  elif $table == "kinds" then
    (["decision", "aspects", "aspects + decision"] | map(select(. as $kind | $first | map(kind) | index($kind)))) as $kinds
    | ["target", "none"] + $kinds,
    ($targets[] as $target | [$target, (of($target; "none") | "\(mean("accuracy") | shown) (\(mean("macro_f1") | shown))")]
      + ($kinds | map(. as $kind | $first | map(select(kind == $kind)) | "\(map(gain($target; .; "accuracy")) | max | signed) (\(
          map(gain($target; .; "macro_f1")) | max | signed))")))
  else
    ["target"] + $first + ["none", "best"],
    ($targets[] as $target | ($first | map(gain($target; .; $table))) as $gains | (of($target; "none") | mean($table)) as $none
     | [$target] + ($gains | map(signed)) + [($none | shown), ($none + ($gains | max) | shown)]),
    (["mean"] + ($first | map(. as $system | [$targets[] as $target | gain($target; $system; $table)] | add / length | signed))
     + [([$targets[] as $target | of($target; "none") | mean($table)] | add / length | shown), ""])
  end
| @tsv
