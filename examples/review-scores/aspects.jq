# The intermediate task: the sentiment of an aspect, the majority over all marks of a paper's reviews.  Left out are ties,
# papers without such a mark, and papers whose decision contradicts it (positive and rejected, negative and accepted).
# Usage: jq -c --arg aspect clarity -f aspects.jq

([.marks[][] | select(startswith("\($aspect)_")) | if endswith("_positive") then 1 else -1 end] | add // 0) as $sum
| select($sum != 0)
| (if $sum > 0 then "positive" else "negative" end) as $sentiment
| select(($sentiment == "positive") == (.decision | ascii_downcase | contains("reject") | not))
| {id, lang, text, label: $sentiment}
