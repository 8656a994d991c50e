# A table of rows and columns: the mean over seeds, and ± the standard deviation where there are several.
# Usage: jq -src --arg name NAME --argjson digits N -f seeds.jq < {"row", "seed", "column", "value"}…

def shown: . * pow(10; $digits) | round / pow(10; $digits) + 0 | tostring
  | if test("\\.") then . else . + "." end | capture("(?<whole>.*)\\.(?<part>.*)")
  | .whole + "." + (.part + "0000")[:$digits];
def mean: add / length;
def deviation: mean as $mean | (map(. - $mean | . * .) | add) / (length - 1) | sqrt;
def cell: map(.value | values) | if . == [] then "–" elif length == 1 then .[0] | shown
  else "\(mean | shown) ± \(deviation | shown)" end;
def ordered($key): reduce .[] as $one ([]; if index([$one[$key]]) then . else . + [$one[$key]] end);

. as $all | ordered("column") as $columns
| ([$name] + $columns), (ordered("row")[] as $row
  | [$row] + ($columns | map(. as $column | $all | map(select(.row == $row and .column == $column)) | cell)))
| @tsv
