# The talks of MuST-C: lines of its yaml, its transcripts and its translations, side by side, become one record a wav file.
# --argjson asr: as a recogniser writes, without marks and capitals.  Words are spread evenly over their segment.
[inputs | split("\t") as [$where, $text, $reference]
 | ($where | capture("duration: (?<duration>[0-9.]+).*offset: (?<offset>[0-9.]+).*wav: (?<wav>[^,} ]+)")) as $span
 | ($span.offset | tonumber * 1000 | round) as $start | ($span.duration | tonumber * 1000 | round) as $length
 | ($text | if $asr then ascii_downcase | gsub("[.,;:?!\"]"; "") else . end | [splits("\\s+")] | map(select(. != ""))) as $words
 | {wav: $span.wav, segment: {reference: $reference, start: $start, source_length: $length},
    words: [range($words | length) as $n | ($length / ($words | length)) as $pace
      | {word: $words[$n], begin: ($start + $n * $pace), end: ($start + ($n + 1) * $pace)}]}]
| group_by(.wav)[] | {id: (.[0].wav | rtrimstr(".wav")), lang: $source, target: $target, words: map(.words[]), segments: map(.segment)}
