# Each response, and in its place one from 101 turns further on, which is of another dialogue.
# Usage: jq -sc -f pairs.jq

. as $all | range(length) as $i | $all[$i]
| (.label = "next"),
  (.id |= "\(.)-other" | .label = "other" | .prediction = $all[($i + 101) % ($all | length)].prediction)
