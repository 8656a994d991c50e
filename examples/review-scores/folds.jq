# The results of dt-score --by part, a record for each fold.
# Usage: dt-score … --by part --summary --format json | jq -sc --arg system NAME -f folds.jq

map(select(.group)) | group_by(.group)[] | {id: .[0].group, lang: "en", system: $system}
  + (map({(.metric | split(":")[0]): (.corpus // .mean)}) | add)
