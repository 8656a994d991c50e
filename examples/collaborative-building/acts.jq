# The act that a model's text says, beside the true one; of block operations the first $most.
def operations: [splits("\\s*;\\s*") | gsub("[<>]"; "") | [splits("\\s+") | select(. != "")] | select(. != [])][:$most];
def parsed: (capture("^\\s*<(?<type>UTT|BLOCK|SKIP|FINISH)>\\s*(?<rest>.*)$"; "s") // {type: "none", rest: ""})
  | {type, text: (if .type == "UTT" then .rest else "" end), blocks: (if .type == "BLOCK" then .rest | operations else [] end)};
.predicted = (.prediction | parsed)
