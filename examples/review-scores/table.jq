# Tables of all targets, in percent: the scores of each row, what is gained over "none", and, of the three kinds of first task,
# the most that is gained, with means over the targets.
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
  # Accuracy and macro-F1, as in table 7.
  def pair(f): "\(.[0] | f) (\(.[1] | f))";
  def means: transpose | map(add / length);
  def baseline($target): of($target; "none") | [mean("accuracy"), mean("macro_f1")];
  def most($target; $name): $first | map(select(kind == $name)) | [("accuracy", "macro_f1") as $key | map(gain($target; .; $key)) | max];
  if $table == "scores" then
    ["target", "from", "folds", "accuracy", "macro-F1"],
    ($targets[] as $target | $systems[] as $system | of($target; $system)
     | [$target, $system, length, (mean("accuracy") | shown) + deviation("accuracy"), (mean("macro_f1") | shown) + deviation("macro_f1")])
  elif $table == "kinds" then
    (["decision", "aspects", "aspects + decision"] | map(select(. as $kind | $first | map(kind) | index($kind)))) as $kinds
    | ["target", "none"] + $kinds,
    ($targets[] as $target | [$target, (baseline($target) | pair(shown))] + ($kinds | map(. as $kind | most($target; $kind) | pair(signed)))),
    ["mean", ([$targets[] as $target | baseline($target)] | means | pair(shown))]
      + ($kinds | map(. as $kind | [$targets[] as $target | most($target; $kind)] | means | pair(signed)))
  else
    ["target"] + $first + ["none", "best"],
    ($targets[] as $target | ($first | map(gain($target; .; $table))) as $gains | (of($target; "none") | mean($table)) as $none
     | [$target] + ($gains | map(signed)) + [($none | shown), ($none + ($gains | max) | shown)]),
    (["mean"] + ($first | map(. as $system | [$targets[] as $target | gain($target; $system; $table)] | add / length | signed))
     + [([$targets[] as $target | of($target; "none") | mean($table)] | add / length | shown),
        ([$targets[] as $target | (of($target; "none") | mean($table)) + ($first | map(gain($target; .; $table)) | max)] | add / length | shown)])
  end
| @tsv
