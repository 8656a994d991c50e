# The chats of a system, in the format of BPersona-chat: each about a word, a turn for each pattern.
def table: split("\n") | map(select(. != "") | split("\t")) | .[0] as $names | .[1:] | map([$names, .] | transpose | map({(.[0]): .[1]}) | add);
($patterns | table) as $patterns | ($words | table) as $words
| range($words | length) as $number | $words[$number] as $word
| {chat_id: "\($number)", direction: "en-ja", system: $system, turns: [
    range($patterns | length) as $turn | $patterns[$turn]
    | ($system == "human" or ($number * 5 + $turn * 7) % 12 < 5) as $good
    | {person: "person \($turn % 2 + 1)", source: (.en | gsub("X"; $word.en)),
       translation: ((if $good then .good else .bad end) | gsub("X"; $word.ja)), good: (if $good then "y" else "n" end)}]}
