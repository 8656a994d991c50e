# A record for each translation of each turn, and for the best one without each of its pieces, to see which is at fault.
# A piece is a word or, in Japanese, what is not hiragana with the hiragana behind it.
def pieces: [scan("[^\\s\\p{Hiragana}]+\\p{Hiragana}*|\\p{Hiragana}+")];
. as $chat | ([.prediction] | flatten | map(split("\n"))) as $lists
| .dialogue | to_entries[] | .key as $turn | .value as $message
| [$lists[] | .[$turn] | ltrimstr("\($message.speaker): ")] as $texts
| {chat: $chat.id, translator: $chat.system, lang: $chat.lang, turn: $turn, speaker: $message.speaker, text: $message.text} as $about
| ($texts | to_entries[] | $about + {id: "\($chat.id)-\($chat.system)-\($turn)-\(.key)", rank: .key, translation: .value}),
  (($texts[0] | pieces) as $pieces | select($pieces | length > 1) | range($pieces | length) as $number
   | $about + {id: "\($chat.id)-\($chat.system)-\($turn)-without-\($number)", piece: $pieces[$number],
     translation: ($pieces | del(.[$number]) | join(if $texts[0] | test("\\s") then " " else "" end))})
