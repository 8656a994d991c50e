# Make papers of sentences: one about what is done, and one about each aspect, which says how good that is (1 to 5).
# Two reviewers mark what they like and what they do not (marks); three give each aspect a score (ratings).
# Usage: jq -n --slurpfile topics … --slurpfile sentences … --argjson first N --argjson size N -f papers.jq

def cyclic($list; $n): $list[$n % ($list | length)];
def bounded: if . < 1 then 1 elif . > 5 then 5 else . end;
def mark($aspect): if . > 3 then "\($aspect)_positive" elif . < 3 then "\($aspect)_negative" else empty end;

($sentences | group_by(.aspect)) as $aspects
| range($first; $first + $size) as $n
# Each sentence comes once a round, with other ones in the next.
| ($n / ($aspects[0] | length) | floor) as $round
| [range($aspects | length) as $k | cyclic($aspects[$k]; ($n + $round * $k) * [7, 11, 13][$k] + 5 * $k)] as $lines
| ($lines | map({(.aspect): .level}) | add) as $level
| ($level | add / length) as $mean
| {id: "paper \($n)", lang: "en", text: ([cyclic($topics; $n * 5).text, $lines[].text] | join(" ")),
   decision: (if $mean >= 3 then "Accept" else "Reject" end),
   # The second reviewer of every seventh paper disagrees about its clarity.
   marks: [range(2) as $who | [$level | to_entries[] | .key as $aspect | .value
     | if $who == 1 and $n % 7 == 0 and $aspect == "clarity" then 6 - . else . end | mark($aspect)]],
   ratings: [range(3) as $who | $level + {recommendation: ($mean + 0.5 | floor)}
     | map_values(if $who == 2 then . + $n % 3 - 1 | bounded else . end)]}
