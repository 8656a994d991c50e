# The results of dt-score --by part, a record for each fold.
# Usage: dt-score … --by part --summary --format json | jq -sc --arg target T --arg system NAME --arg checkpoint N -f folds.jq

map(select(.group)) | group_by(.group)[]
| {id: .[0].group, lang: "en", $target, $system, $checkpoint, repeat: (.[0].group | split("-")[0])}
  + (map({(.metric | split(":")[0]): (.corpus // .mean)}) | add)
