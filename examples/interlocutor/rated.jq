# A conversation of each person with a wizard, who talks ten times of each topic.  The person rates the wizard's turn by how
# strict they are and whether they like the topic; outsiders rate it by the topic alone, and so alike whoever listens.
# Usage: dt-template … | jq -sc -f rated.jq

group_by(.person) | to_entries[] | .key as $strict | .value as $topics
| {id: "\($topics[0].lang)/\($topics[0].person)", lang: $topics[0].lang,
   dialogue: [range(10) as $round | range($topics | length) as $n | $topics[($n + $round) % ($topics | length)]
     | (.topic as $it | .likes | split(",") | index($it) != null) as $liked
     | (.dialogue | split("\n") | map(sub("^[^:]+: "; ""))) as $lines
     | {speaker: "Wizard", text: $lines[1], interlocutor: (2 + $strict % 4 + if $liked then 1 else -1 end + $round % 2),
        outsider: (3 + (.topic | length) % 3 + $round % 2 / 2)},
       {speaker: .person, text: ($lines[0] | sub("TIME"; "\($n + 8):00"))}]}
