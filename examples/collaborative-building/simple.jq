# Two systems that read nothing: Random guesses the type of the act, and one to four operations that the world of the
# moment allows; Majority always says what is most frequent.  $kinds: all blocks; $lowest, $highest: where blocks stand.
def random($number; $below): ($number * 1103515245 + 12345) % 2147483648 / 65536 | floor % $below;
def operation($seed; $world): ($world | keys_unsorted) as $full
  | if ($full | length) > 0 and random($seed; 2) == 0 then ["break", "none"] + ($full[random($seed + 1; $full | length)] | split(" "))
    else first(range(100) as $attempt | [range(3) as $axis | $lowest[$axis] + random($seed + 7 * $attempt + $axis + 2; $highest[$axis] - $lowest[$axis] + 1)]
      | map(tostring) | select($world[join(" ")] == null)) as $free | ["place", $kinds[random($seed + 3; $kinds | length)]] + $free end;
to_entries[] | (.key * 97 + 13) as $seed | .value
| (.system = "Majority" | .predicted = {type: $most, text: "", blocks: []}),
  (.system = "Random" | .world as $world | .predicted = {type: ["UTT", "BLOCK", "SKIP", "FINISH"][random($seed; 4)], text: "",
    blocks: [range(1 + random($seed + 1; 4)) as $number | operation($seed + 31 * $number + 2; $world)] | unique})
