# The chats of the survey: the second message of each three has been translated badly, and says so in the round with warnings.
group_by(.cluster)[] | {id: .[0].cluster, lang: .[0].lang, dialogue: [sort_by(.turn)[] | (.turn % 3 == 1) as $poor
  | {speaker, text: .reference, translation: (if $poor then .text else .reference end)}
    + if $poor and $warned then {warning: {}} else {} end]}
