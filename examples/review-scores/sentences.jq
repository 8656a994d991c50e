# Keep the sentences that say of a thing what can be said of it, with how good that is, from 1 to 5.
# Usage: dt-template … | jq -c -f sentences.jq

select(.of == .aspect) | {aspect, text, level: (.level | tonumber)}
