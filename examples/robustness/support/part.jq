# A part of the talks, drawn by their numbers; their turns, with tokens from words.tsv (--rawfile words).
select(input_line_number * 797 % 1400 | . >= ($from | tonumber) and . < ($to | tonumber)) |
($words | split("\n")[1:-1] | map(split("\t") | {(.[0]): {lemma: .[1], upos: .[2], feats: .[3]}}) | add) as $known |
{id, lang, dialogue: (.dialogue | split("\n") | map(split(": ") as [$speaker, $text] | {speaker: $speaker, text: $text,
  tokens: [$text | match("[A-Za-z]+|[^A-Za-z\\s]"; "g") |
    {form: .string, start: .offset, end: (.offset + .length), sent: 1} +
    if .string | test("[A-Za-z]") then $known[.string | ascii_downcase] else {lemma: .string, upos: "PUNCT", feats: ""} end]})),
 reference}
