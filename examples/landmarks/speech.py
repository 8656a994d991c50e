"""Learn to say what lips say: landmarks to a mel spectrogram, and from there to a sound.

    python3 speech.py train MODEL FOLDER STEPS [CHANNELS HIDDEN BATCH]
    python3 speech.py speak MODEL FOLDER OUT    write sounds, and a record of each

FOLDER is one of recordings.py.  Three systems speak: "model" reads a sample's own
landmarks, "other" those of the next sample, and "vocoder" gets the true spectrogram:
nothing that goes through a spectrogram is better.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from recordings import RATE, heard, write
from torch import nn

WINDOW, HOP, MELS = 800, 200, 80  # 50 ms and 12.5 ms, as in the paper


def filters() -> torch.Tensor:
    """Return triangles at equal distances of mels, frequencies × mels."""
    highest = 2595 * math.log10(1 + RATE / 2 / 700)
    edges = 700 * (10 ** (torch.linspace(0, highest, MELS + 2) / 2595) - 1)
    at = torch.linspace(0, RATE / 2, WINDOW // 2 + 1)[:, None]
    rise = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return torch.minimum(rise, fall).clamp(min=0)


def spectrum(sound: torch.Tensor) -> torch.Tensor:
    """Return a complex spectrogram, frequencies × frames."""
    return torch.stft(sound, WINDOW, HOP, window=torch.hann_window(WINDOW), return_complex=True)


def mels(sound: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of a mel spectrogram, frames × mels."""
    return (spectrum(sound).abs().T @ filters()).clamp(min=1e-3).log()


def sound_of(logs: torch.Tensor, rounds: int = 40) -> torch.Tensor:
    """Return a sound with this mel spectrogram, its phases found by Griffin and Lim's algorithm."""
    size = (logs.exp() @ torch.linalg.pinv(filters())).clamp(min=0).T
    phase, window = torch.ones_like(size, dtype=torch.complex64), torch.hann_window(WINDOW)
    for _ in range(rounds):
        sound = torch.istft(size * phase, WINDOW, HOP, window=window)
        phase = torch.exp(1j * spectrum(sound).angle())
    return sound


class Reader(nn.Module):
    """Landmarks to a mel spectrogram: convolutions over time, an LSTM both ways, a linear map."""

    def __init__(self, points: int, channels: int = 64, hidden: int = 64):
        super().__init__()
        self.sizes = points, channels, hidden
        self.see = nn.Sequential(
            nn.Conv1d(points * 3, channels, 5, padding=2),
            nn.BatchNorm1d(channels),
            nn.ReLU(),
            nn.Conv1d(channels, hidden, 5, padding=2),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
        )
        self.follow = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)
        self.say = nn.Linear(2 * hidden, MELS)

    def forward(self, faces: torch.Tensor, frames: int) -> torch.Tensor:
        faces = faces - faces.mean(2, keepdim=True)  # (B, T, points, 3), wherever the head is
        faces = faces / faces.flatten(1).std(1)[:, None, None, None]
        seen = self.see(faces.flatten(2).transpose(1, 2))
        seen = nn.functional.interpolate(seen, frames, mode="linear").transpose(1, 2)
        return self.say(self.follow(seen)[0])


def names(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("*.npy"))


def train(model: str, folder: str, steps: str, *sizes: str) -> None:
    """Learn by a half of the absolute error and the squared one, with Adam."""
    torch.manual_seed(0)
    *shape, batch = map(int, sizes or (64, 64, 8))
    faces = torch.stack([torch.from_numpy(np.load(file)) for file in names(folder)])
    said = torch.stack(
        [mels(torch.from_numpy(heard(file.with_suffix(".wav")))) for file in names(folder)]
    )
    reader = Reader(faces.shape[2], *shape)
    course = torch.optim.Adam(reader.parameters(), 3e-3)
    for step in range(int(steps)):
        some = torch.randint(len(faces), (batch,))
        made = reader(faces[some], said.shape[1])
        loss = nn.functional.mse_loss(made, said[some]) + 0.5 * nn.functional.l1_loss(
            made, said[some]
        )
        course.zero_grad()
        loss.backward()
        course.step()
        if not (step + 1) % (int(steps) // 5):
            print(json.dumps({"step": step + 1, "loss": round(loss.item(), 4)}))
    torch.save({"sizes": reader.sizes, "weights": reader.state_dict()}, model)


def speak(model: str, folder: str, out: str) -> None:
    made = torch.load(model, weights_only=True)
    reader = Reader(*made["sizes"]).eval()
    reader.load_state_dict(made["weights"])
    files = names(folder)
    for file, following in zip(files, files[1:] + files[:1], strict=True):
        truth = mels(torch.from_numpy(heard(file.with_suffix(".wav"))))
        own, others = (torch.from_numpy(np.load(lips))[None] for lips in (file, following))
        with torch.inference_mode():
            said = {
                "model": reader(own, len(truth))[0],
                "other": reader(others, len(truth))[0],
                "vocoder": truth,
            }
        for system, logs in said.items():
            place = Path(out, system, file.name).with_suffix(".wav")
            place.parent.mkdir(parents=True, exist_ok=True)
            write(place, sound_of(logs).numpy())
            print(
                json.dumps(
                    {
                        "id": file.stem,
                        "lang": "und",
                        "system": system,
                        "prediction": str(place),
                        "reference": str(file.with_suffix(".wav")),
                    }
                )
            )


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"train": train, "speak": speak}[sys.argv[1]](*sys.argv[2:])
