"""Sounds as logarithms of mel spectrograms, 80 mels every 12.5 ms, and back (Griffin and Lim)."""

import math

import torch
from recordings import RATE

WINDOW, HOP, MELS = 800, 200, 80  # 50 ms and 12.5 ms, as in the paper


def filters() -> torch.Tensor:
    """Return triangles at equal distances of mels, frequencies × mels."""
    highest = 2595 * math.log10(1 + RATE / 2 / 700)
    edges = 700 * (10 ** (torch.linspace(0, highest, MELS + 2) / 2595) - 1)
    frequencies = torch.linspace(0, RATE / 2, WINDOW // 2 + 1)[:, None]
    rise = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    return torch.minimum(rise, fall).clamp(min=0)


def spectrum(sound: torch.Tensor) -> torch.Tensor:
    """Return a complex spectrogram, frequencies × frames."""
    return torch.stft(sound, WINDOW, HOP, window=torch.hann_window(WINDOW), return_complex=True)


def mels(sound: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of a mel spectrogram, frames × mels."""
    return (spectrum(sound).abs().T @ filters()).clamp(min=1e-3).log()


def sound_of(logs: torch.Tensor, rounds: int = 30) -> torch.Tensor:
    """Return a sound with this mel spectrogram, its phases found by Griffin and Lim's algorithm."""
    size = (logs.exp() @ torch.linalg.pinv(filters())).clamp(min=0).T
    phase, window = torch.ones_like(size, dtype=torch.complex64), torch.hann_window(WINDOW)
    for _ in range(rounds):
        sound = torch.istft(size * phase, WINDOW, HOP, window=window)
        phase = torch.exp(1j * spectrum(sound).angle())
    return sound
