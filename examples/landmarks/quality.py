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
        true, spoken = heard(record["reference"]), heard(record["prediction"])
        true, spoken = true[: len(spoken)], spoken[: len(true)]
        print(
            pesq.pesq(RATE, true, spoken, "wb")
            if metric == "pesq"
            else pystoi.stoi(true, spoken, RATE, metric == "estoi")
        )


if __name__ == "__main__":
    score(sys.argv[1])
