# Of the checkpoints of a first task, the folds of the one that is most accurate on the second, the earlier one of two alike.
# Usage: jq -sc -f best.jq FILE…

group_by(.checkpoint) | max_by([(map(.accuracy) | add / length), -(.[0].checkpoint | tonumber? // 0)])[]
