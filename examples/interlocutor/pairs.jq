# Each response, and in its place one from 101 turns further on, which is of another dialogue.
# Usage: jq -sc -f pairs.jq

. as $all | range(length) as $i | $all[$i]
| (.label = "next" | .next = 1),
  (.id |= "\(.)-other" | .label = "other" | .next = 0 | .prediction = $all[($i + 101) % ($all | length)].prediction)
