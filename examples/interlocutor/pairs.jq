# Each response, and in its place one from 101 turns further on in its language, which is of another dialogue.
# Usage: jq -sc -f pairs.jq

group_by(.lang)[] as $all | range($all | length) as $i | $all[$i]
| (.label = "next" | .next = 1),
  (.id |= "\(.)-other" | .label = "other" | .next = 0 | .prediction = $all[($i + 101) % ($all | length)].prediction)
