# The labels that a metric's scores say: "goes on" from the score on that leaves as many turns of dev as go on there.
# Usage: jq -sc --arg system NAME -f threshold.jq DEV-AND-TEST

def score: .scores | to_entries[] | select(.key | split(":")[0] == $system) | .value;

map(select(.part == "dev")) as $dev
| ($dev | map(score) | sort)[$dev | map(select(.label == "ends")) | length] as $from
| .[] | select(.part == "test") | .system = $system | .p = score
| .prediction = (if .p >= $from then "goes on" else "ends" end) | del(.scores, .history)
