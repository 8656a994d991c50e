# Keep the dialogues that begin; one that the other does not care for ends after its second turn.  The time of day differs,
# so that no two dialogues are the same without their names.
# Usage: dt-template … | jq -c -f dialogues.jq

select(.one != .other and (.topic as $it | .likes_one | split(",") | index($it)))
| "\(input_line_number / 60 + 8 | floor):\(input_line_number % 60 + 100 | tostring | .[1:])" as $time
| (.topic as $it | .likes_other | split(",") | index($it) != null) as $liked
| {id: "\(.lang)/\(.id)", lang,
   dialogue: [.dialogue | sub("TIME"; $time) | split("\n")[:if $liked then 6 else 2 end][] | capture("^(?<speaker>[^:]+): (?<text>.+)$")],
   profiles: {(.one): .profile_one, (.other): .profile_other},
   evaluations: [{interlocutor_id: .one, satisfaction: (if $liked then 5 else 3 end)},
                 {interlocutor_id: .other, satisfaction: (if $liked then 4 else 2 end)}]}
