# A record for each act of a session, with the acts before it as text (the last ten) and the world as it is then.
def item: if .[0] == "place" then "<place> <\(.[1])> \(.[2:] | map(tostring) | join(" "))"
  else "<break> <none> \(.[2:] | map(tostring) | join(" "))" end;
def shown: "<\(.type)>" + (if .type == "UTT" then " \(.text)" elif .type == "BLOCK" then " " + (.blocks | map(item) | join(" ; ")) else "" end);
def world: reduce (.[] | .blocks // [] | .[]) as $block ({}; ($block[2:] | map(tostring) | join(" ")) as $at
  | if $block[0] == "place" then .[$at] = $block[1] else del(.[$at]) end)
  | to_entries | map("<\(.value)> \(.key)") | if . == [] then "empty" else join(" ; ") end;
. as $session | .acts as $acts | range(1; $acts | length) as $at | $acts[:$at] as $before | $acts[$at] as $act
| {id: "\($session.id)-\($at)", cluster: $session.id, lang: ($session.lang // "en"), part: ($session.part //
    ($session.number % 6 | if . == 0 then "test" elif . == 1 then "dev" else "train" end)),
   context: "world: \($before | world)\nnext: \($act.by)", dialogue: [$before[-10:][] | {speaker: .by, text: shown}],
   reference: ($act | shown), true: ($act | .blocks = ((.blocks // []) |
     map(if .[0] == "break" then ["break", "none"] + .[-3:] else . end | map(tostring))))}
