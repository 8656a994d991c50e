"""Landmarks of lips and their sound: of faces that are made up, or of videos.

    python3 recordings.py toy FOLDER COUNT SEED        make up COUNT faces that say vowels
    python3 recordings.py video FOLDER TASK FILE …     take the landmarks and the sound of videos

FOLDER gets a name.npy (frames × points × 3) and a name.wav (16 kHz) for each sample of
90 frames.  For videos: pip install mediapipe opencv-python torchaudio torchcodec, and
TASK is MediaPipe's face_landmarker.task; its weights are Google's.
"""

import sys
import wave
from pathlib import Path

import numpy as np

RATE, FPS, PIECE = 16000, 25, 90
# The lips among MediaPipe's 478 points.
LIPS = [
    0,
    13,
    14,
    17,
    37,
    39,
    40,
    61,
    78,
    80,
    81,
    82,
    84,
    87,
    88,
    91,
    95,
    146,
    178,
    181,
    185,
    191,
    267,
    269,
    270,
    291,
    308,
    310,
    311,
    312,
    314,
    317,
    318,
    321,
    324,
    375,
    402,
    405,
    409,
    415,
]


def vowels(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return lips that say vowels for 90 frames, and their sound; nothing shows its pitch."""
    frames, points = np.arange(PIECE), np.linspace(0, 2 * np.pi, 20, endpoint=False)
    part, at = frames // 6, frames % 6
    opening = rng.uniform(0.2, 1, PIECE)[part] * np.sin(np.pi * (at + 0.5) / 6) ** 2
    width = np.convolve(
        np.repeat(rng.uniform(0, 1, PIECE), 6)[: PIECE + 4], np.ones(5) / 5, "valid"
    )
    lips = np.stack(
        [
            np.outer(0.6 + 0.4 * width, np.cos(points)),
            np.outer(0.5 * opening, np.sin(points)),
            np.outer(1 - width, 0.2 * np.abs(np.cos(points))),
        ],
        -1,
    )
    lips += np.cumsum(rng.normal(0, 0.02, (PIECE, 1, 3)), 0) + rng.normal(0, 0.01, lips.shape)
    time = np.arange(PIECE * RATE // FPS) / RATE
    opening, width = (np.interp(time * FPS, frames, track) for track in (opening, width))
    melody = 1 + 0.05 * np.sin(2 * np.pi * 0.7 * time + rng.uniform(0, 6))
    pitch = rng.uniform(100, 140) * melody
    sound = rng.normal(0, 0.02, len(time))
    for tone in range(1, 32):
        near = sum(
            1 / (1 + ((tone * pitch - formant) / 90) ** 2)
            for formant in (300 + 500 * opening, 900 + 1400 * width, 2700)
        )
        sound += near * opening * np.sin(2 * np.pi * tone * np.cumsum(pitch) / RATE)
    return lips.astype(np.float32), (0.6 * sound / np.abs(sound).max()).astype(np.float32)


def toy(folder: str, count: str, seed: str) -> None:
    for number in range(int(count)):
        rng = np.random.default_rng([int(seed), number])
        keep(Path(folder, f"{seed}-{number:03}.wav"), *vowels(rng))


def video(folder: str, task: str, *files: str) -> None:
    """Keep those pieces of videos in which the face is seen in each frame."""
    import cv2
    import mediapipe as mp
    import torchaudio

    vision = mp.tasks.vision
    for file in files:
        frames = cv2.VideoCapture(file)
        if abs(frames.get(cv2.CAP_PROP_FPS) - FPS) > 0.01:
            sys.exit(f"{file}: not {FPS} frames a second: ffmpeg -i {file} -r {FPS} OTHER.mp4")
        seer = vision.FaceLandmarker.create_from_options(
            vision.FaceLandmarkerOptions(
                base_options=mp.tasks.BaseOptions(model_asset_path=task),
                running_mode=vision.RunningMode.VIDEO,
            )
        )
        sound, rate = torchaudio.load(file)
        sound = torchaudio.functional.resample(sound.mean(0), rate, RATE).numpy()
        lips = []
        while (read := frames.read())[0]:
            image = mp.Image(mp.ImageFormat.SRGB, cv2.cvtColor(read[1], cv2.COLOR_BGR2RGB))
            faces = seer.detect_for_video(image, 1000 * len(lips) // FPS).face_landmarks
            lips.append(
                [[faces[0][at].x, faces[0][at].y, faces[0][at].z] for at in LIPS] if faces else None
            )
        for start in range(0, len(lips) - PIECE + 1, PIECE):
            seen = lips[start : start + PIECE]
            said = sound[start * RATE // FPS : (start + PIECE) * RATE // FPS]
            if None not in seen and len(said) == PIECE * RATE // FPS:
                keep(
                    Path(folder, f"{Path(file).stem}-{start}.wav"), np.array(seen, np.float32), said
                )


def keep(place: Path, lips: np.ndarray, sound: np.ndarray) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    np.save(place.with_suffix(".npy"), lips)
    write(place, sound)


def write(place: Path, sound: np.ndarray) -> None:
    with wave.open(str(place), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((sound.clip(-1, 1) * 32767).astype("<i2").tobytes())


def heard(file: Path | str) -> np.ndarray:
    with wave.open(str(file), "rb") as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(np.float32) / 32767


if __name__ == "__main__":
    {"toy": toy, "video": video}[sys.argv[1]](*sys.argv[2:])
