# Accuracy by how many turns the interlocutor has in the training data: three groups of people with as many turns in all.
# Usage: jq -nc --slurpfile train TRAIN -f sizes.jq SAID…

($train | group_by(.interlocutor) | map({name: .[0].interlocutor, size: length}) | sort_by(.size)) as $people
| ($people | map(.size) | add) as $all
| (reduce $people[] as $one ({sum: 0, group: {}};
    .group[$one.name] = ([.sum * 3 / $all | floor, 2] | min) | .sum += $one.size) | .group) as $group
| [inputs | select(.part == "test" and $group[.interlocutor] != null) | .group = $group[.interlocutor]]
| group_by([.system, .group])[] | .[0].group as $third
| ($people | map(select($group[.name] == $third).size)) as $sizes
| {row: (.[0].system | sub("\\..*"; "")), column: "\(["few", "some", "many"][$third]) (\($sizes | min)–\($sizes | max))",
   value: (map(if .prediction == .label then 100 else 0 end) | add / length)}
