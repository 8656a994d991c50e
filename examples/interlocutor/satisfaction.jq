# For each dialogue and speaker: the mean probability that they go on talking, by each system, and how satisfied they said
# they were.
# Usage: jq -sc -f satisfaction.jq

map(select(.p != null and .interlocutor != null)) | group_by([.cluster, .interlocutor])[]
| (.[0].interlocutor) as $who
| {id: "\(.[0].cluster)/\($who)", lang: .[0].lang, p: (group_by(.system) | map({(.[0].system): (map(.p) | add / length)}) | add),
   satisfaction: (.[0].evaluations[]? | select(.interlocutor_id == $who) | .satisfaction)}
