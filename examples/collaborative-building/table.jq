# Results of dt-score --summary as a table of the paper: a row a system, a column a metric, from 0 to 1, and over several
# seeds their mean ± standard deviation.  A * says that $model is better than all others here, by $tests of one seed.
# $columns: [["Accuracy", "accuracy", "mean"], …]; $rows: [["au", "AU (ours)"], …]
def fixed($digits): (. * pow(10; $digits) | round | tostring) as $text
  | (("0" * ([$digits + 1 - ($text | length), 0] | max)) // "") + $text | .[:-$digits] + "." + .[-$digits:];
def spread: (add / length) as $mean | map((. - $mean) * (. - $mean)) | add / (length - 1) | sqrt;
def shown: map(. / 100) | (add / length | fixed(3)) + (if length > 1 then " ± " + (spread | fixed(3)) else "" end);
def better($test): ($test.p_adjusted // $test.p) as $p | $p != null and $p < 0.05
  and ($test.difference > 0) == ($test.a | startswith($model + "."));
map(select(.group)) as $all
| (["Model"] + ($columns | map(.[0]))),
  ($rows[] as [$system, $name] | [$all[] | select(.group | split(".")[0] == $system)] | select(. != [])
   | [$name] + [$columns[] as [$_, $metric, $of] | map(select(.metric == $metric) | .[$of]) | if . == [] then "-" else shown end
     + ([$tests[] | select(.value == "scores." + $metric)] | if $system == $model and . != [] and all(better(.)) then "*" else "" end)])
| @tsv
