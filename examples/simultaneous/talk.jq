# Put the translations of the parts of each talk together, with delays on the talk's clock (slurped; --slurpfile talks).
group_by(.talk)[] | . as $parts | ($talks[] | select(.id == $parts[0].talk)) as $talk
| {id: $talk.id, lang: $talk.target, system: $name, prediction: (map(.prediction | select(. != "")) | join("\n")),
   delays: (reduce (.[] | . as $part | .delays[] | if . == ($part.ends | length) then $part.known else $part.ends[. - 1] end)
     as $delay ([]; . + [[$delay, .[-1] // 0] | max])), segments: $talk.segments}
