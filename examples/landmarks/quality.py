"""Read records, write how good the sound of each is, for dt-score -m exec:.

    python3 quality.py stoi|estoi|pesq

"prediction" and "reference" are the paths of two sounds of 16 kHz.
"""

import json
import sys


def score(metric: str) -> None:
    try:
        import pesq
        import pystoi
        from recordings import RATE, heard
    except ImportError as error:
        sys.exit(f"the library {error.name} is not installed: pip install pystoi pesq")
    for line in sys.stdin:
        record = json.loads(line)
        true, made = heard(record["reference"]), heard(record["prediction"])
        true, made = true[: len(made)], made[: len(true)]
        print(
            pesq.pesq(RATE, true, made, "wb")
            if metric == "pesq"
            else pystoi.stoi(true, made, RATE, metric == "estoi")
        )


if __name__ == "__main__":
    score(sys.argv[1])
