# Summaries of dt-score as table 3 of the paper: a row a data set and model, a column a metric and setting.
# $settings: those of the prompt; a system without one stands under the first.  Last, table 4: the best row of each set
# by the first metric.
def number: (if .corpus != null then .corpus else .mean end) * (if .unit == "percent" or .unit == "points" then 1 else 100 end)
  | . * 100 | round | . / 100;
map(select(.group) | .group as $group
  | ([$settings[] | . as $one | select($group | endswith("." + $one))][0] // $settings[0]) as $setting
  | {data, model: ($group | rtrimstr("." + $setting)), $setting, metric: (.metric | split(":")[0]), value: number}) as $all
| ([$all[].metric] | unique) as $names | [$metrics[] | select(IN($names[]))] as $metrics
| [$all[].setting] as $used | [$settings[] | select(IN($used[]))] as $settings
| def row: . as $row | [$row[0].data, $row[0].model] + [$metrics[] as $metric | $settings[] as $setting
    | [$row[] | select(.metric == $metric and .setting == $setting) | .value][0] // "-"];
  (["Data", "Model"] + [$metrics[] as $metric | $settings[] | "\($metric) \(.)"]),
  ($all | group_by([.data, .model]) | sort_by([.[0].data as $data | $sets | index($data)])[] | row),
  [],
  ($sets[] as $set | [$all[] | select(.data == $set and .metric == $metrics[0])] | max_by(.value) | select(.) as $best
   | ["best of " + .data, "\(.model) \(.setting)", ($metrics[] as $metric | $all[]
      | select(.data == $best.data and .model == $best.model and .setting == $best.setting and .metric == $metric)
      | "\(.metric) \(.value)")])
| @tsv
