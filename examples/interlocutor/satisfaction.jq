# For each dialogue and speaker: the mean probability that they go on talking, and how satisfied they said they were.
# Usage: jq -sc -f satisfaction.jq

map(select(.part == "test" and .p != null and .interlocutor != null)) | group_by([.system, .cluster, .interlocutor])[]
| (.[0].interlocutor) as $who
| {id: "\(.[0].cluster)/\($who)", lang: .[0].lang, system: .[0].system, p: (map(.p) | add / length),
   satisfaction: (.[0].evaluations[]? | select(.interlocutor_id == $who) | .satisfaction)}
