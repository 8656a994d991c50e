# The labels that scores say: "goes on" from the score on that leaves as many turns of dev as go on there.
# Usage: dt-score … | jq -sc --arg system NAME -f threshold.jq < DEV-AND-TEST

map(.p = (.scores | [.[]] | first)) | map(select(.part == "dev")) as $dev
| ($dev | map(.p) | sort)[$dev | map(select(.label == "ends")) | length] as $from
| .[] | select(.part != "dev") | .system = $system
| .prediction = (if .p >= $from then "goes on" else "ends" end) | del(.scores, .history)
