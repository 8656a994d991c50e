# Keep the dialogues that begin; one that the other does not care for ends after its second turn.
# Usage: dt-template … | jq -c -f dialogues.jq

select(.one != .other and (.topic as $it | .likes_one | split(",") | index($it)))
| (.topic as $it | .likes_other | split(",") | index($it) != null) as $liked
| {id: "\(.lang)/\(.id)", lang,
   dialogue: [.dialogue | split("\n")[:if $liked then 6 else 2 end][] | capture("^(?<speaker>[^:]+): (?<text>.+)$")],
   profiles: {(.one): .profile_one, (.other): .profile_other},
   evaluations: [{interlocutor_id: .one, satisfaction: (if $liked then 5 else 3 end)},
                 {interlocutor_id: .other, satisfaction: (if $liked then 4 else 2 end)}]}
