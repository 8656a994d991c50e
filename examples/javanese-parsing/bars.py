"""Draw the best rows by LAS as bars: of each kind of training (figure 3), of each kind of words (figure 4).

python3 bars.py BEST.txt OUT.svg
"""

import re
import sys

import matplotlib.pyplot as plt

with open(sys.argv[1], encoding="utf-8") as file:
    head, *rows = [re.split(" {2,}", line.strip()) for line in file]
records = [dict(zip(head, row, strict=True)) for row in rows]
figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for panel, column in zip(panels, ("kind", "embedding"), strict=True):
    best: dict[str, dict[str, list[float]]] = {}
    # a score is a mean, a margin of error and, of several seeds, a deviation
    for record in records:
        scores = {name: [float(x) for x in record[name].split(" ± ")] for name in ("UAS", "LAS")}
        name = record[column]
        best[name] = max(best.get(name, scores), scores, key=lambda scores: scores["LAS"][0])
    for n, metric in enumerate(("UAS", "LAS")):
        means, margins = zip(*(scores[metric][:2] for scores in best.values()), strict=True)
        places = [place + 0.4 * n for place in range(len(best))]
        bars = panel.bar(places, means, 0.4, yerr=margins, capsize=3, label=metric)
        panel.bar_label(bars, fmt="%.2f", label_type="center")
    panel.set_xticks([place + 0.2 for place in range(len(best))], list(best))
panels[0].set(title="training", ylabel="%")
panels[1].set(title="words")
panels[1].legend(loc="lower right")
figure.savefig(sys.argv[2], metadata={"Date": None})
