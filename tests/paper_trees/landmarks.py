"""examples/landmarks: Lip2Wav's folders, with landmarks and sound that were taken from the videos before."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from conftest import ROOT

HOME = ROOT / "examples" / "landmarks"
SMALL = (
    "--decoder 8 --prenet 8 --postnet 8 --attention 8 --per-step 24 --steps 2 --warmup 1 --batch 2"
)
# Where pystoi and pesq are missing: how loud the sound is, in place of how good.
LOUDNESS = """
import json, sys
from recordings import heard
for line in sys.stdin:
    print(float(abs(heard(json.loads(line)["prediction"])).mean()))
"""


def write(folder: Path) -> dict[str, str]:
    sys.path.insert(0, str(HOME))
    import recordings

    for speaker in "chem", "chess", "eh":
        for part, ids in ("train", ["Aa-1", "b_2"]), ("val", ["cC3"]):
            listed = folder / speaker / f"{part}.txt"
            for number, id in enumerate(ids):
                video = folder / speaker / "intervals" / id / "cut-0.mp4"
                video.parent.mkdir(parents=True)
                video.touch()
                rng = np.random.default_rng([len(speaker), number])
                points, sound, faces = recordings.vowels(rng, 100, 300)
                points[120] = np.nan  # 120 frames with a face, and 179
                np.save(video.with_suffix(".mediapipe.npy"), points)
                np.save(video.with_suffix(".fan.npy"), points[:, :68])
                np.save(video.with_suffix(".faces.npy"), faces)
                recordings.write(video.with_suffix(".wav"), sound)
            listed.write_text(
                "\n".join(ids), encoding="utf-8"
            )  # as published, without a last line end
    sys.path.remove(str(HOME))
    variables = {"DATA": str(folder), "SPEAKERS": "chem", "SEEDS": "1", "TRAINING": SMALL}
    for row in "lips", "whole", "flat", "fan", "faces":
        variables[f"SIZES_{row}"] = "--channels 4,8 --hidden 8"
    if not (find_spec("pystoi") and find_spec("pesq")):
        (folder / "loudness.py").write_text(LOUDNESS)
        variables["METRIC"] = (
            f"exec:name=$1,env PYTHONPATH={HOME} {sys.executable} {folder}/loudness.py"
        )
    return variables
