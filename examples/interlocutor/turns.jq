# Keep the turns that answer somebody, with the profile of who would answer them.
# Usage: dt-convert --continuity … | jq -c -f turns.jq

select(.dialogue | length > 1) | .profile = (.profiles[.interlocutor] // "") | del(.profiles)
