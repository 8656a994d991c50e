# Tables of t or of perplexity, a row for each remedy and a column for each kind of groups: mean ± standard deviation over
# the seeds, and in how many of them p < 0.05.  Reads KIND.tests.jsonl or KIND.one.measured.jsonl.  And of talk.results.jsonl
# a row for each kind and remedy, a column for each metric.
def rounded: . * 100 | round / 100;
def mean: add / length;
def deviation: mean as $mean | if length > 1 then (map(. - $mean | . * .) | add / (length - 1) | sqrt) else null end;
def cell($row): "\(mean | rounded)" + if $row == "base" then "" else " ± \(deviation | if . then rounded else "?" end)" end;
def row: capture("model=(?<model>.*),of=").model | if . == $base then "base" else split("/")[-1] | split(".")[1] end;
def kind: input_filename | split("/")[-1] | split(".")[0];
def talk: [inputs | select(.group)] as $all | ($all | map(.metric) | reduce .[] as $one ([]; if index($one) then . else . + [$one] end)) as $metrics
  | ["talk", $metrics[]],
    ("base", (($kinds | split(" ")[]) as $kind | $rows | split(" ")[] | select(. != "base") | "\($kind).\(.)")) as $row
  | [$row, ($metrics[] as $metric
      | [$all[] | select(.metric == $metric and (.group == $row or (.group | startswith("\($row)."))))]
      | map(.corpus // .mean) | cell($row))];
def measured: [inputs | kind as $kind
  | if $what == "t" then {kind: $kind, row: (.value | row), value: .statistic, p}
    else .scores | to_entries[] | {kind: $kind, model: .key, row: (.key | row), value: (.value | log)} end]
  | if $what == "t" then . else group_by([.kind, .model]) | map(.[0] + {value: (map(.value) | mean | exp)}) end
  | . as $values
  | ([$what, ($kinds | split(" ")[])]),
    ($rows | split(" ")[] as $row
      | [$row, ($kinds | split(" ")[] as $kind
          | [$values[] | select(.row == $row and .kind == $kind)]
          | (map(.value) | cell($row))
            + if $what == "t" then " (\(map(select(.p < 0.05)) | length)/\(length))" else "" end)]);
(if $what == "talk" then talk else measured end) | @tsv
