"""Learn to say what faces say, and say it.

    python3 speech.py train MODEL FOLDER DEV [OPTION …]   a line of JSON for each of some steps
    python3 speech.py speak MODEL FOLDER OUT              sounds, and a record of each
    python3 speech.py count FOLDER …                      how many pieces of 90 frames there are (table 1)

FOLDER and DEV are those of recordings.py.  Three systems speak: "model" sees a piece's own face,
"other" that of another piece, and "vocoder" gets the true spectrogram: nothing that goes through a
spectrogram is better.  Options of train, with the sizes of the paper for 80 points of lips:

    --points lips|whole|flat|faces   lips, all landmarks, lips without depth, or pixels (Lip2Wav)
    --channels 120,240,320 --hidden 384 --decoder 1024 --prenet 256 --postnet 512
    --attention 128 --per-step 1 --delta 0           frames of sound a step; frames seen before and after, 0 for all
    --steps 600000 --warmup 4000 --rate 0.001 --batch 32 --seed 1 --report 20
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from network import Speaker, loss
from recordings import LIPS, PIECE, heard, write
from spectrogram import HOP, mels, sound_of

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pieces:
    """Pieces of 90 frames of what recordings.py kept, with their spectrograms."""

    def __init__(self, folder: str | Path, points: str):
        self.points = points
        self.files = sorted(Path(folder).glob("*.wav"))
        if not self.files:
            sys.exit(f"{folder}: nothing of 90 frames")
        suffix = ".faces.npy" if points == "faces" else ".npy"
        self.seen = [np.load(file.with_suffix(suffix), mmap_mode="r") for file in self.files]
        self.logs = [mels(torch.from_numpy(heard(file))) for file in self.files]
        # Frames of sound a frame of video, and a piece: the same of all files of a speaker.
        self.rate = len(heard(self.files[0])) / HOP / len(self.seen[0])
        self.frames = round(PIECE * self.rate)
        self.counts = np.array([len(seen) - PIECE + 1 for seen in self.seen])

    def piece(self, number: int, start: int) -> tuple[torch.Tensor, torch.Tensor]:
        seen = np.array(self.seen[number][start : start + PIECE])
        if self.points in ("lips", "flat") and seen.shape[1] > len(LIPS):
            seen = seen[:, LIPS]
        if self.points == "flat":
            seen[..., 2] = 0
        first = min(round(start * self.rate), len(self.logs[number]) - self.frames)
        return torch.from_numpy(seen), self.logs[number][first : first + self.frames]

    def batch(self, starts: list[tuple[int, int]]) -> tuple[torch.Tensor, torch.Tensor]:
        pieces = [self.piece(number, start) for number, start in starts]
        return tuple(torch.stack(part).to(DEVICE) for part in zip(*pieces, strict=True))  # type: ignore

    def drawn(self, size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw from all pieces, whose starts may be next to each other."""
        ends = self.counts.cumsum()
        numbers = rng.integers(ends[-1], size=size)
        files = np.searchsorted(ends, numbers, "right")
        return [
            (int(f), int(n - ends[f] + self.counts[f])) for f, n in zip(files, numbers, strict=True)
        ]

    def apart(self) -> list[tuple[int, int]]:
        """Return pieces that share nothing, as many as there are."""
        return [
            (file, start)
            for file, count in enumerate(self.counts)
            for start in range(0, int(count), PIECE)
        ]


def macs(speaker: Speaker, seen: torch.Tensor, frames: int) -> int:
    """Return multiplications with an addition for one piece: of convolutions and products of matrices."""
    from torch.utils.flop_counter import FlopCounterMode

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # flags() warns of what this machine has not
        with torch.backends.mkldnn.flags(enabled=False):  # else an LSTM counts as nothing
            with FlopCounterMode(display=False) as counter:
                speaker.eval()(seen, frames)
    return counter.get_total_flops() // 2


def untrained(arguments: argparse.Namespace, points: int) -> Speaker:
    """Return a network with random weights, for so many landmarks, or pixels of a side."""
    encoder = {
        "points": points,
        "channels": [int(width) for width in arguments.channels.split(",")],
        "hidden": arguments.hidden,
        "faces": points if arguments.points == "faces" else 0,
    }
    decoder = {
        "size": arguments.decoder,
        "prenet": arguments.prenet,
        "postnet": arguments.postnet,
        "attention": arguments.attention,
        "r": arguments.per_step,
        "delta": arguments.delta,
    }
    return Speaker(encoder, decoder).to(DEVICE)


def train(arguments: argparse.Namespace) -> None:
    """Minimise equation 4 before and after the postnet with Adam; the rate rises, then falls as 1 / √step."""
    torch.set_num_threads(1)  # more only wait for each other at these sizes
    torch.manual_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    data, dev = (Pieces(folder, arguments.points) for folder in (arguments.folder, arguments.dev))
    seen, true = dev.batch(dev.apart()[:16])
    speaker = untrained(arguments, seen.shape[2])
    logs = torch.cat(data.logs)
    speaker.scale[:] = torch.tensor([logs.mean(), logs.std()])
    size = {
        "parameters": sum(weights.numel() for weights in speaker.parameters()),
        "macs": macs(speaker, seen[:1], dev.frames),
        "batch": arguments.batch,
        "landmarks": seen.shape[2],
        "channels": arguments.channels,
        "embedding": arguments.hidden,
    }
    adam = torch.optim.Adam(speaker.parameters(), arguments.rate)
    rate = torch.optim.lr_scheduler.LambdaLR(
        adam,
        lambda step: min((step + 1) / arguments.warmup, (arguments.warmup / (step + 1)) ** 0.5),
    )
    attended, training, begin = [], [], time.time()
    for step in range(1, arguments.steps + 1):
        speaker.train()
        faces, sounds = data.batch(data.drawn(arguments.batch, rng))
        sounds = speaker.scaled(sounds)
        rough, fine, _ = speaker(faces, data.frames, sounds)
        error = loss(rough, sounds) + loss(fine, sounds)
        adam.zero_grad()
        error.backward()
        torch.nn.utils.clip_grad_norm_(speaker.parameters(), 1.0)
        adam.step()
        rate.step()
        training.append(error.item())
        if not np.isfinite(training[-1]):
            sys.exit(f"the loss is {training[-1]} after {step} steps: try a lower --rate")
        if step % max(1, arguments.steps // arguments.report) == 0:
            seconds = time.time() - begin
            with torch.no_grad():
                _, spoken, weights = speaker.eval()(seen, dev.frames)
            attended.append(weights[0].cpu().numpy())
            report = {
                "step": step,
                "loss": round(float(np.mean(training)), 4),
                "dev": round(loss(spoken, speaker.scaled(true)).item(), 4),
                "diagonal": round(diagonal(weights), 3),
                "seconds": round(seconds, 2),
            }
            print(json.dumps(size | report), flush=True)
            training.clear()
    kept = {"sizes": speaker.sizes, "points": arguments.points, "weights": speaker.state_dict()}
    torch.save(kept, arguments.model)
    np.save(Path(arguments.model).with_suffix(".attention.npy"), np.stack(attended))


def diagonal(weights: torch.Tensor, near: float = 1) -> float:
    """Return how much of the attention is within some frames of the moment that is spoken; 1 is all."""
    steps, length = weights.shape[1:]
    present = (torch.arange(steps, device=weights.device) + 0.5) * length / steps
    distance = (torch.arange(length, device=weights.device)[None] + 0.5 - present[:, None]).abs()
    return (weights * (distance <= near)).sum(2).mean().item()


def speak(model: str, folder: str, out: str) -> None:
    torch.set_num_threads(1)
    kept = torch.load(model, weights_only=True, map_location=DEVICE)
    speaker = Speaker(**kept["sizes"]).to(DEVICE).eval()
    speaker.load_state_dict(kept["weights"])
    data = Pieces(folder, kept["points"])
    pieces = data.apart()
    torch.manual_seed(1)  # the prenet drops out
    for number, (file, start) in enumerate(pieces):
        others = pieces[(number + 1) % len(pieces)]
        seen, (true, _) = data.batch([(file, start), others])
        with torch.inference_mode():
            spoken, mismatched = (speaker.unscaled(s) for s in speaker(seen, data.frames)[1])
        for system, logs in {"model": spoken, "other": mismatched, "vocoder": true}.items():
            sound = sound_of(logs.cpu()).numpy()
            place = Path(out, system, f"{data.files[file].stem}-{start}.wav")
            truth = Path(out, "true", place.name)
            for target in place, truth:
                target.parent.mkdir(parents=True, exist_ok=True)
            write(place, sound)
            first = round(start * data.rate) * HOP
            write(truth, heard(data.files[file])[first : first + data.frames * HOP])
            record = {"id": place.stem, "lang": "und", "system": system}
            print(json.dumps(record | {"prediction": str(place), "reference": str(truth)}))


def count(*folders: str) -> None:
    for folder in map(Path, folders):
        extractor, speaker = folder.parts[-3:-1]
        print(f"{extractor}\t{speaker}\t{Pieces(folder, 'whole').counts.sum():,}")


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    for name in "model", "folder", "dev":
        parser.add_argument(name)
    parser.add_argument("--points", choices=["lips", "whole", "flat", "faces"], default="lips")
    parser.add_argument("--channels", default="120,240,320")
    parser.add_argument("--rate", type=float, default=0.001)
    sizes = {"hidden": 384, "decoder": 1024, "prenet": 256, "postnet": 512, "attention": 128}
    course = {
        "per-step": 1,
        "delta": 0,
        "steps": 600000,
        "warmup": 4000,
        "batch": 32,
        "seed": 1,
        "report": 20,
    }
    for name, value in (sizes | course).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser


if __name__ == "__main__":
    action, *words = sys.argv[1:]
    if action == "train":
        train(options().parse_args(words))
    else:
        {"speak": speak, "count": count}[action](*words)
