# A record for each person of table 1: noticed or not, and a rating for so many as the table has (zh, last: 10 more).
split("\t") | select(.[0] != "lang") | . as $row | (.[2:] | map(tonumber)) as [$noticed, $of, $one, $two, $three, $four, $five]
| [(range($one) | 1), (range($two) | 2), (range($three) | 3), (range($four) | 4), (range($five) | 5)] as $ratings
| range($of) | {id: "\($row[0]) \($row[1]) \(.)", lang: $row[0], order: $row[1], noticed: (. < $noticed), barrier: $ratings[.]}
  | del(.barrier | nulls)
