"""A perturbation of one's own: say the contrary, "is" and "was" with "not"."""

import re
import sys

for line in sys.stdin:
    print(re.sub(r"\b(is|was)\b", r"\1 not", line.rstrip("\n")))
