# Sessions of two people who build a garden: a proposal, a row of blocks, a correction, praise, and the end.
def table: split("\n") | map(select(. != "") | split("\t")) | .[0] as $names | .[1:] | map([$names, .] | transpose | map({(.[0]): .[1]}) | add);
def place($thing; $shift): ["place", $thing.block, ($thing.x | tonumber) + $shift, 0, ($thing.z | tonumber)];
($things | table) as $things
| range($things | length) as $one | range($things | length) as $two | select($one != $two)
| $things[$one] as $a | $things[$two] as $b | ($one * 3 + $two) as $way
| {id: "\($a.thing)-\($b.thing)", number: ($one * 7 + $two * 5), acts: [
    {by: "A", type: "UTT", text: "shall we make a \($a.thing) ?"},
    {by: "B", type: "UTT", text: (if $way % 2 == 0 then "yes , a \($a.thing) is a good idea !" else "good , you begin with the \($a.thing) ." end)},
    (if $way % 2 == 0 then {by: "A", type: "SKIP"}, {by: "B", type: "BLOCK", blocks: [place($a; 0), place($a; 1)]}
     else {by: "A", type: "BLOCK", blocks: [place($a; 0), place($a; 1)]}, {by: "B", type: "SKIP"} end),
    {by: "A", type: "UTT", text: (if $way % 3 == 0 then "the \($a.thing) is too long ." else "i like the \($a.thing) . now a \($b.thing) ?" end)},
    {by: "B", type: "BLOCK", blocks: (if $way % 3 == 0 then [["break", null] + place($a; 1)[2:]] else [place($b; 0), place($b; 1)] end)},
    {by: "A", type: "UTT", text: (if $way % 3 == 0 then "thank you , that is better ." else "what a nice \($b.thing) !" end)},
    {by: "B", type: "FINISH"}]}
