# Two systems that read nothing: one guesses the type of the act and some blocks, one always says what is most frequent.
def random($number; $below): ($number * 1103515245 + 12345) % 2147483648 / 65536 | floor % $below;
to_entries[] | (.key * 97 + 13) as $seed | .value
| (.system = "majority" | .made = {type: $most, text: "", blocks: []}),
  (.system = "random" | .made = {type: ["UTT", "BLOCK", "SKIP", "FINISH"][random($seed; 4)], text: "",
    blocks: [range(1 + random($seed + 1; 4)) as $at | ["place", $kinds[random($seed + 5 * $at + 2; $kinds | length)],
      (range(3) as $axis | random($seed + 5 * $at + 3 + $axis; [10, 4, 10][$axis]) | tostring)]]})
