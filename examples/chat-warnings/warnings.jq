# The chats, with a warning at each turn whose best translation the detector calls bad (records are those of candidates.jq).
group_by(.chat, .translator)[] | {id: .[0].chat, lang: .[0].lang, system: .[0].translator, dialogue: [
  group_by(.turn)[] | (map(select(.rank)) | sort_by(.rank)) as $ranked | $ranked[0] as $best
  | (map(select(.piece)) | max_by(.prediction_scores.good)) as $without
  | {speaker: $best.speaker, text: $best.text, translation: $best.translation}
    + if $best.prediction == "good" then {} else {warning: {
        rate: ($best.prediction_scores.good * 100 | round),
        error: (if $without and $without.prediction_scores.good > $best.prediction_scores.good then $without.piece else null end),
        alternative: ([$ranked[1:][] | select(.prediction == "good") | .translation] | first)}} end]}
