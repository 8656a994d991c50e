# The labels that a metric's scores say: "goes on" from the score on that leaves as many turns of dev as go on there.
# Usage: jq -nc --slurpfile dev DEV --arg system NAME -f threshold.jq TEST

def score: .scores | to_entries[0].value;

($dev | map(score) | sort)[$dev | map(select(.label == "ends")) | length] as $from
| inputs | .system = $system | .p = score | .prediction = (if .p >= $from then "goes on" else "ends" end)
| del(.scores, .history)
