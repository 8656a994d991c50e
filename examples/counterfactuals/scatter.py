"""The classifier on a text and on its counterfactual: a panel a method, a color a group (figures 3 and 4).

python3 scatter.py SCORED.jsonl OUT.svg
"""

import json
import sys

import matplotlib.pyplot as plt

with open(sys.argv[1], encoding="utf-8") as file:
    records = [json.loads(line) for line in file]
methods = list(dict.fromkeys(record["system"] for record in records))
groups = sorted({record["terms"] for record in records})
figure, panels = plt.subplots(1, len(methods), squeeze=False, sharex=True, sharey=True)
for panel, method in zip(panels[0], methods, strict=True):
    for group in groups:
        pairs = [r for r in records if (r["system"], r["terms"]) == (method, group)]
        panel.scatter([r["before"] for r in pairs], [r["after"] for r in pairs], s=12, label=group)
    panel.axline((0, 0), slope=1, color="grey", linewidth=0.5)  # below it the classifier gives less
    panel.set(title=method, xlabel="text", aspect="equal")
panels[0][0].set_ylabel("counterfactual")
panels[0][-1].legend(fontsize=7)
figure.set_size_inches(3.2 * len(methods), 3.4)
figure.savefig(sys.argv[2], bbox_inches="tight", metadata={"Date": None})
