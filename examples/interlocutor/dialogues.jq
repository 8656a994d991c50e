# Ten dialogues of each person on each topic, at an hour of its own: the person greets, the host begins to talk of the topic, and
# the person goes on, for five turns in all, if they like it, and not at all if they do not.
# Usage: dt-template … | jq -c -f dialogues.jq

(input_line_number - 1) as $n | range(10) as $round
| "\(($n + $round) % 5 + 8):\(if $round < 5 then "00" else "30" end)" as $time
| (.topic as $it | .likes | split(",") | index($it) != null) as $liked
| {id: "\(.lang)/\(.id)/\($round + 1)", lang,
   dialogue: [.dialogue | sub("TIME"; $time) | split("\n")[:if $liked then 5 else 2 end][] | capture("^(?<speaker>[^:]+): (?<text>.+)$")],
   profiles: {(.person): .profile, (.host): .host_profile}}
