# Two responses after each greeting of the test, the host's and that of a system, which has its words in reverse; and from 0 to
# 100 how likely the person is to answer: they do not care for what they do not like, nor much for nonsense.
# Usage: jq -c -f scored.jq

def reversed: if test(" ") then split(" ") | reverse | join(" ") else explode | reverse | implode end;

select(.dialogue | length == 2) | (.label == "goes on") as $liked | del(.label) | .part = "scored"
| (.responder = "human" | .id += "-human" | .score = (if $liked then 90 else 10 end)),
  (.responder = "system" | .id += "-system" | .dialogue[1].text |= reversed | .score = (if $liked then 40 else 20 end))
