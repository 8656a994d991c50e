# The paper's tables from results of dt-score (slurped); --arg table: 1, 2 or 3.
def round1: . * 10 | round / 10;
(map(select(.group))) as $rows | (reduce $rows[].system as $name ([]; if index([$name]) then . else . + [$name] end)) as $systems
| (reduce $rows[].group as $name ([]; if index([$name]) then . else . + [$name] end)) as $groups
| def cell($system; $group; $metric): [$rows[] | select(.system == $system and .group == $group and (.metric | startswith($metric)))
    | .corpus // .mean][0];
  if $table == "1" then
    ["", $systems[]],
    ($groups[] as $group | [$group, ($systems[] as $system | cell($system; $group; "tgbi") * 10 | round / 1000)]),
    ["TGBI", ($systems[] as $system | [$groups[] as $group | cell($system; $group; "tgbi")] | add / length * 10 | round / 1000)]
  elif $table == "2" then
    ["set", ($systems[] | "\(.) p_m", "p_w")],
    ($groups[] as $group | [$group, ($systems[] as $system
      | ("male", "female") as $gender
      | "\(cell($system; $group; "gender:share=\($gender)") * 100 | round / 100)\(if $group | endswith(", \($gender) friend") then "*" else "" end)")])
  else
    ["", "Acc", "ΔG", "ΔS", "N"],
    ($systems[] as $system | [$system, (("gender_accuracy", "delta_g", "delta_s", "gender:share=neutral") as $metric
      | cell($system; $system; $metric) | round1)])
  end
| @tsv
