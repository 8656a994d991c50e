# The statistics of each part: those of whole dialogues, and how many turns were answered.
# Usage: jq -src -f statistics.jq

def mean: add / length * 10 | round / 10;

["part", "turns of a dialogue", "characters of a turn", "of a dialogue", "replied", "not replied"],
(("train", "dev", "test") as $part | map(select(.part == $part)) | map(select(.label == "ends").dialogue) as $dialogues
 | [$part, ($dialogues | map(length) | mean), ([$dialogues[][].text | length] | mean),
    ($dialogues | map(map(.text | length) | add) | mean), (map(select(.label == "goes on")) | length), ($dialogues | length)])
| @tsv
