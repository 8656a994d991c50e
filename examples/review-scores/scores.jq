# The target task: the score of an aspect, the mean over a paper's reviews, rounded.
# Usage: jq -c --arg aspect clarity -f scores.jq

[.ratings[][$aspect] | values | tonumber] as $scores
| select($scores != [])
| {id, lang, text, label: "\($scores | add / length + 0.5 | floor)"}
