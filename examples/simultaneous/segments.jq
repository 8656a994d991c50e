# Cut talks as they are heard.  --arg rule: reference (where the references begin), fixed (every `size` words), pause (where
# nobody has spoken for `size` milliseconds) or none.  "known": when the cut is known to be one.
. as $talk | .words as $words | ($talk.segments | map(.start)) as $starts
| [range(1; $words | length) | select(
    if $rule == "fixed" then . % $size == 0
    elif $rule == "pause" then $words[.].begin - $words[. - 1].end >= $size
    elif $rule == "reference" then . as $n | any($starts[]; . > $words[$n - 1].begin and . <= $words[$n].begin + 1)
    else false end)] as $cuts
| [[0, $cuts[]], [$cuts[], ($words | length)]] | transpose | to_entries[] | .key as $number | .value as [$from, $to]
| $words[$from:$to] as $part
| {id: "\($talk.id)-\($number + 1)", talk: $talk.id, lang: $talk.lang, target: $talk.target, text: ($part | map(.word) | join(" ")),
   ends: ($part | map(.end)), known: (if $rule == "pause" and $to < ($words | length) then $part[-1].end + $size else $part[-1].end end)}
