# Sessions of two people who build a garden: a proposal, a row of blocks in the direction that the builder looks in, a
# correction, praise, and the end.
def table: split("\n") | map(select(. != "") | split("\t")) | .[0] as $names | .[1:] | map([$names, .] | transpose | map({(.[0]): .[1]}) | add);
def place($thing; $along; $shift): ["place", $thing.block, ($thing.x | tonumber) + $along[0] * $shift, 0, ($thing.z | tonumber) + $along[1] * $shift];
def row($thing; $along): [range($thing.length | tonumber) as $shift | place($thing; $along; $shift)];
($things | table) as $things
| range($things | length) as $one | range($things | length) as $two | select($one != $two)
| $things[$one] as $a | $things[$two] as $b | ($one * 3 + $two) as $way
| (if $way % 2 == 0 then {along: [1, 0], yaw: -90} else {along: [0, 1], yaw: 0} end) as $view
| {id: "\($a.thing)-\($b.thing)", number: ($one * 7 + $two * 5), acts: [
    {by: "A", type: "UTT", text: "shall we make a \($a.thing) ?"},
    {by: "B", type: "UTT", text: (if $way % 2 == 0 then "yes , a \($a.thing) is a good idea !" else "good , you begin with the \($a.thing) ." end)},
    (if $way % 2 == 0 then {by: "A", type: "SKIP"}, {by: "B", type: "BLOCK", blocks: row($a; $view.along)}
     else {by: "A", type: "BLOCK", blocks: row($a; $view.along)}, {by: "B", type: "SKIP"} end),
    {by: "A", type: "UTT", text: (if $way % 3 == 0 then "the \($a.thing) is too long ." else "i like the \($a.thing) . now a \($b.thing) ?" end)},
    {by: "B", type: "BLOCK", blocks: (if $way % 3 == 0 then [["break", null] + place($a; $view.along; ($a.length | tonumber) - 1)[2:]] else row($b; $view.along) end)},
    {by: "A", type: "UTT", text: (if $way % 3 == 0 then "thank you , that is better ." else "what a nice \($b.thing) !" end)},
    {by: "B", type: "FINISH"}]
  | map(.at = [($a.x | tonumber), 1, ($a.z | tonumber)] | .facing = [$view.yaw, 30])}
