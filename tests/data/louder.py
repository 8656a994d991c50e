"""A perturbation that is a program: every word with an a in capitals, and every third record one turn longer."""

import json
import re
import sys

record = json.loads(sys.stdin.read())
turns = record.get("dialogue") or []
for holder in [*turns, record]:
    if isinstance(holder.get("text"), str):
        holder["text"] = re.sub(r"\w*a\w*", lambda word: word[0].upper(), holder["text"])
if turns and record["seed"] % 3 == 0:
    turns.append({"speaker": turns[-1]["speaker"], "text": str(record["seed"])})
print(json.dumps(record, ensure_ascii=False))
