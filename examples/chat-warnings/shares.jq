# A row for each group of ratings (results of dt-ttest -t likert, slurped): counts, and the share of 4 and 5.
def percent: . * 10 | round / 10;
["", "n", "1", "2", "3", "4", "5", "4 or 5, % [95 % CI]"],
(.[] | .counts as $counts | [.group, .n, (range(1; 6) | $counts["\(.)"] // 0), "\(.share | percent) [\(.share_ci | map(percent) | join(", "))]"])
| @tsv
