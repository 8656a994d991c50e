# What one person sees of a chat: messages of others as translated, own ones as written, and warnings at both.
.dialogue[] | (.speaker == $me) as $sent
| "\(.speaker): \(if $sent then .text else .translation end)",
  (.warning // empty | "    ! " + if $sent then "This may have been sent with a wrong translation" else "This may be a wrong translation" end
    + (if .rate then ": \(.rate) % likely to be right." else "." end)
    + (if .error then " Look at: \(.error)" else "" end) + (if .alternative then " Better: \(.alternative)" else "" end))
