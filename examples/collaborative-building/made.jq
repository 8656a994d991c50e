# The act that a model's text says, beside the true one.
def parsed: (capture("^\\s*<(?<type>UTT|BLOCK|SKIP|FINISH)>\\s*(?<rest>.*)$"; "s") // {type: "none", rest: ""})
  | {type, text: (if .type == "UTT" then .rest else "" end),
     blocks: (if .type == "BLOCK" then .rest | [splits("\\s*;\\s*") | gsub("[<>]"; "") | [splits("\\s+") | select(. != "")] | select(. != [])] else [] end)};
.made = (.prediction | parsed)
