# A record for each translation of each turn, and for the best one without each of its pieces, to see which is at fault.
# A piece is a word or, in Japanese, what is not hiragana with the hiragana behind it.
def pieces: [scan("[^\\s\\p{Hiragana}]+\\p{Hiragana}*|\\p{Hiragana}+")];
. as $chat | ([.prediction] | flatten | map(split("\n"))) as $lists
| .dialogue | to_entries[] | .key as $turn | .value as $said
| [$lists[] | .[$turn] | ltrimstr("\($said.speaker): ")] as $texts
| {chat: $chat.id, translator: $chat.system, lang: $chat.lang, turn: $turn, speaker: $said.speaker, text: $said.text} as $about
| ($texts | to_entries[] | $about + {id: "\($chat.id)-\($chat.system)-\($turn)-\(.key)", rank: .key, translation: .value}),
  (($texts[0] | pieces) as $pieces | select($pieces | length > 1) | range($pieces | length) as $at
   | $about + {id: "\($chat.id)-\($chat.system)-\($turn)-without-\($at)", piece: $pieces[$at],
     translation: ($pieces | del(.[$at]) | join(if $texts[0] | test("\\s") then " " else "" end))})
