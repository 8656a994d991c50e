# A record for each turn of a chat that was judged; which part of the data it is in follows from the number of its chat.
. as $chat | .dialogue | to_entries[]
| select((.value.good == "y" or .value.good == "n") and (.value.translation | type == "string"))
| "\($chat.direction)-\($chat.id)-\(.key + 1)" as $turn
| {id: "\($turn)-\($chat.system)", cluster: "\($chat.direction)-\($chat.id)", turn: $turn,
   part: ($chat.id | tonumber | if . % 5 == 0 then "test" elif . % 10 == 1 then "dev" else "train" end),
   lang: $chat.lang, into: ($chat.direction | split("-")[1]), translator: $chat.system, text: .value.text, translation: .value.translation,
   label: {y: "good", n: "bad"}[.value.good]}
