"""What stands for your model: positive or negative, by a list of words; "not" turns the next one over."""

import re
import sys

GOOD = {"good", "kind", "clean", "included", "helpful", "lovely"}
BAD = {"cold", "broken", "boring", "late"}

for line in sys.stdin:
    score, sign = 0, 1
    for word in re.findall("[a-z]+", line.lower()):
        if word == "not":
            sign = -1
        elif word in GOOD | BAD:
            score += sign if word in GOOD else -sign
            sign = 1
    print("positive" if score > 0 else "negative")
