# The first task.  Of an aspect it is the sentiment, the majority over all marks of a paper's reviews; left out are ties, papers
# without such a mark, and papers whose decision contradicts it (positive and rejected, negative and accepted), which
# ASPECT-all keeps.  "decision" is the decision alone.
# Usage: jq -c --arg aspect clarity -f aspects.jq

($aspect | sub("-all$"; "")) as $name
| (.decision | ascii_downcase | contains("reject")) as $rejected
| ([.marks[][] | select(startswith("\($name)_")) | if endswith("_positive") then 1 else -1 end] | add // 0) as $sum
| if $aspect == "decision" then {id, lang, text, label: (if $rejected then "reject" else "accept" end)}
  else select($sum != 0) | select($aspect != $name or ($sum > 0) == ($rejected | not))
  | {id, lang, text, label: (if $sum > 0 then "positive" else "negative" end)} end
