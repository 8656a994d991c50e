# A record for each rated turn of the wizard: the conversation up to it, its ratings, and its part: of each conversation the
# first eight tenths are to learn from, the ninth chooses the epoch, the last is the test.
# Usage: dt-convert --from ./hazumi.py … | jq -c -f exchanges.jq

. as $all | [.dialogue | to_entries[] | select(.value.interlocutor) | .key] as $rated
| $rated | to_entries[] | .value as $turn | (.key * 10 / ($rated | length) | floor) as $tenth
| {id: "\($all.id)-\(.key + 1)", cluster: $all.id, lang: $all.lang,
   part: (if $tenth < 8 then "train" elif $tenth == 8 then "dev" else "test" end),
   dialogue: [$all.dialogue[:$turn + 1][] | {speaker, text}]}
  + ($all.dialogue[$turn] | {interlocutor, outsider})
