# A record for each act of a session: what was said and built before it, the world as it is then, who acts next, and
# where they stand and look.  $most: operations of an act ($L of the paper); $last: acts that are told one by one.
# $inputs: what of history, changes, last, world and position the model is told; worlds: in the history, the world then.
def text: map(tostring) | join(" ");
def item: if .[0] == "place" then "<place> <\(.[1])> \(.[2:] | text)" else "<break> <none> \(.[-3:] | text)" end;
def shown: "<\(.type)>" + (if .type == "UTT" then " \(.text)" elif .type == "BLOCK" then " " + (.blocks | map(item) | join(" ; ")) else "" end);
def built: map(.blocks // [] | .[]) | reduce .[] as $block ({}; .[$block[-3:] | text] = (if $block[0] == "place" then $block[1] else "none" end));
def standing: built | map_values(select(. != "none"));
def listed: to_entries | map("<\(.value)> \(.key)") | join(" ; ");
def listed_world: "world: \(listed | if . == "" then "empty" else . end)";
# The change of the world by each of the two: what stands at each place after it.
def change: group_by(.by) | map({by: .[0].by, change: (built | listed)}) | map(select(.change != "") | "\(.by) \(.change)") | join(" | ");
def parted: if .type == "BLOCK" then .blocks as $blocks | range(0; $blocks | length; $most) as $first | .blocks = $blocks[$first:$first + $most] else . end;
def near($one; $two): ([range(3) as $axis | $one[$axis] - $two[$axis] | fabs] | add) <= 1;

. as $session | [.acts[] | parted] as $acts | range(1; $acts | length) as $number | $acts[:$number] as $before | $acts[$number] as $act
| [range($number) | select($acts[.].type == "UTT")] as $utterances
| ($utterances[-1] // -1) as $since
| $before[-$last:] as $recent | [$recent[].blocks // [] | .[]] as $previous
| ($before | standing) as $world
| {history: [range($utterances | length) as $one | ($acts[(if $one == 0 then 0 else $utterances[$one - 1] + 1 end):$utterances[$one]] | change) as $change
       | (if $change == "" then empty else "changed: \($change)" end),
         (if "worlds" | IN($inputs | splits(" ")) then $acts[:$utterances[$one]] | standing | listed_world else empty end), "\($acts[$utterances[$one]].by): \($acts[$utterances[$one]].text)"] | join("\n"),
   changes: "changed since: \($acts[$since + 1:$number] | change | if . == "" then "nothing" else . end)",
   world: ($world | listed_world),
   position: (if $act.at then "at \($act.at | text) facing \($act.facing | text)" else "" end)} as $told
| {id: "\($session.id)-\($number)", cluster: $session.id, lang: ($session.lang // "en"), part: ($session.part //
    ($session.number % 6 | if . == 0 then "test" elif . == 1 then "dev" else "train" end)),
   context: (["history", "changes", "world", "position"] | map(select(IN($inputs | splits(" "))) | $told[.] | select(. != "")) + ["next: \($act.by)"] | join("\n")),
   dialogue: (if "last" | IN($inputs | splits(" ")) then $recent | map({speaker: .by, text: shown}) else [{speaker: $act.by, text: "-"}] end),
   utterances: [$utterances[] | $acts[.] | {speaker: .by, text: .text}],
   reference: ($act | shown),
   true: ($act | {type, text, blocks: [(.blocks // [])[] | if .[0] == "break" then ["break", "none"] + .[-3:] else . end | map(tostring)]}),
   world: $world}
| if .true.type == "BLOCK" then
    .kinds = (if any($act.blocks[]; .[0] == "place" and (.[1] | IN($previous[] | select(.[0] == "place") | .[1]))) then "the same as before" else "others" end)
    | .places = (if any($act.blocks[][-3:]; . as $one | any($previous[][-3:]; near($one; .))) then "next to those before" else "elsewhere" end)
  else . end
