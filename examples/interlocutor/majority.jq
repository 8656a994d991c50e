# What most turns of the training data do: all of them, or those that the same speaker would answer.
# Usage: jq -nc --slurpfile train TRAIN --arg system global|private -f majority.jq TEST

def most: group_by(.) | max_by(length)[0];

($train | map(.label) | most) as $all
| (if $system == "private" then $train | group_by(.interlocutor) | map({(.[0].interlocutor): map(.label) | most}) | add
   else {} end) as $of_person
| inputs | .system = $system | .prediction = ($of_person[.interlocutor] // $all)
