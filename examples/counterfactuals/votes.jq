# One record for each counterfactual out of its ratings, a line for each rater: what most say, and the mean of "meaning".
# "disputed" are those that only two have rated, and not alike: a third rater decides; what is then still tied is null, and
# left out.  "good" is fluent, without a reference, of the same label, and 2 or more of 4 in meaning; unsure counts as no.
def vote: group_by(.) | sort_by(-length)
  | if .[1] and (.[0] | length) == (.[1] | length) then null else .[0][0] end;
def keys_voted: "fluent", "refers", "label";
group_by([.id, .system])[]
| . as $ratings
| {id: .[0].id, system: .[0].system, raters: length, meaning: (map(.meaning) | add / length),
   disputed: (length == 2 and any(keys_voted; . as $key | ($ratings | map(.[$key]) | unique | length) > 1))}
  + ([keys_voted as $key | {key: $key, value: ($ratings | map(.[$key]) | vote)}] | from_entries)
| .tied = ([.fluent, .refers, .label] | any(. == null))
| .FAL = (.fluent == "yes" and .refers == "no" and .label == "yes")
| .good = (.FAL and .meaning >= 2 and (any($ratings[]; .reject == "yes") | not))
