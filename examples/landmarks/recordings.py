"""Landmarks of faces with their sound: of faces that are made up, or of videos.

    python3 recordings.py FOLDER SPEAKER PART toy CLIPS     faces that say vowels
    python3 recordings.py FOLDER SPEAKER PART video DATA    those of Lip2Wav's DATA/SPEAKER/PART.txt

EXTRACTOR is mediapipe (478 points) or fan (68); FOLDER gets, for each stretch in which all
frames show a face, NAME.npy (frames × points × 3), NAME.wav (16 kHz) and, of mediapipe,
NAME.faces.npy (frames × pixels × pixels × 3).  Stretches below 90 frames are left out.

Videos stand in DATA/SPEAKER/intervals/ID/*.mp4.  Where FILE.EXTRACTOR.npy (landmarks, NaN where no
face is seen), FILE.wav and FILE.faces.npy lie beside FILE.mp4, they are taken as they are.
"""

import os
import sys
import wave
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

RATE, FPS, PIECE, PIXELS = 16000, 30, 90, 48
EXTRACTOR = os.environ.get("EXTRACTOR", "mediapipe")
# The 80 points that MediaPipe's attention mesh refines: four rings of lips, each below and above.
LIPS = [
    *(61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409),
    *(78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415),
    *(76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408),
    *(62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407),
]
Clip = tuple[np.ndarray, np.ndarray, np.ndarray | None]  # landmarks, sound, faces


def keep(folder: str, name: str, clip: Clip) -> None:
    """Write each stretch of at least 90 frames in which a face was seen."""
    points, sound, faces = clip
    seen = np.isfinite(points).all((1, 2))
    edges = np.flatnonzero(np.diff(np.r_[False, seen, False].astype(int)))
    rate = len(sound) / len(points)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for start, end in edges.reshape(-1, 2):
        if end - start >= PIECE:
            place = Path(folder, f"{name}-{start:05}.wav")
            np.save(place.with_suffix(".npy"), points[start:end].astype(np.float32))
            if faces is not None:
                np.save(place.with_suffix(".faces.npy"), faces[start:end])
            write(place, sound[round(start * rate) : round(end * rate)])


def toy(folder: str, speaker: str, part: str, clips: str) -> None:
    seed = zlib.crc32(f"{speaker}/{part}".encode())
    lowest = 180 if speaker == "high" else 100
    for number in range(int(clips)):
        keep(folder, f"{number:03}", vowels(np.random.default_rng([seed, number]), lowest))


def vowels(rng: np.random.Generator, lowest: int, length: int = 150) -> Clip:
    """Return a face that says vowels; nothing in it shows the pitch, which is the speaker's."""
    frames = np.arange(length)
    opening = rng.uniform(0.2, 1, length)[frames // 6] * np.sin(np.pi * (frames % 6 + 0.5) / 6) ** 2
    width = rng.uniform(0, 1, length)
    width = np.convolve(np.repeat(width, 6)[: length + 4], np.ones(5) / 5, "valid")

    # The whole face nods a little and says nothing; the lips are rings within each other.
    face = np.random.default_rng(0).normal(0, 1, (478, 3)) * [1, 1, 0.3] + [0, -1, 0]
    face = np.repeat(face[None], length, 0)
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    ring = np.repeat([1, 0.7, 0.9, 0.8], 20)
    lips = np.stack(
        [
            np.outer(0.6 + 0.4 * width, ring * np.tile(np.cos(angle), 4)),
            np.outer(0.5 * opening, ring * np.tile(np.sin(angle), 4)),
            np.outer(1 - width, 0.4 * ring * np.tile(np.abs(np.cos(angle)), 4)),
        ],
        -1,
    )
    face[:, LIPS] = lips
    face += np.cumsum(rng.normal(0, 0.02, (length, 1, 3)), 0)
    seen = rng.uniform(size=length) < 0.999
    if EXTRACTOR == "fan":  # 20 of its 68 points are lips; it shakes more, and loses more faces
        face, seen = (
            face[:, LIPS[:20] + list(range(430, 478))],
            seen & (rng.uniform(size=length) < 0.998),
        )
    face += rng.normal(0, 0.03 if EXTRACTOR == "fan" else 0.01, face.shape)
    face[~seen] = np.nan

    # A mouth of 8 × 8 pixels, brighter the wider, dark where it is open.
    rows, columns = np.mgrid[-1:1:8j, -1:1:8j]
    across = (columns / (0.5 + 0.4 * width[:, None, None])) ** 2
    mouth = across + (rows / (0.1 + 0.8 * opening[:, None, None])) ** 2 < 1
    images = np.where(mouth, 30, 120 + 100 * width[:, None, None])[..., None]
    images = np.repeat(images + rng.normal(0, 5, images.shape), 3, -1).clip(0, 255).astype(np.uint8)

    time = np.arange(length * RATE // FPS) / RATE
    opening, width = (np.interp(time * FPS, frames, track) for track in (opening, width))
    pitch = rng.uniform(lowest, 1.4 * lowest) * (
        1 + 0.05 * np.sin(2 * np.pi * 0.7 * time + rng.uniform(0, 6))
    )
    sound = rng.normal(0, 0.02, len(time))
    for tone in range(1, 32):
        loudness = sum(
            1 / (1 + ((tone * pitch - formant) / 90) ** 2)
            for formant in (300 + 500 * opening, 900 + 1400 * width, 2700)
        )
        sound += loudness * opening * np.sin(2 * np.pi * tone * np.cumsum(pitch) / RATE)
    return face, 0.6 * sound / np.abs(sound).max(), images if EXTRACTOR != "fan" else None


def video(folder: str, speaker: str, part: str, data: str) -> None:
    """Keep what the videos of a speaker show that PART.txt lists by their ids."""
    home = Path(data, speaker)
    for id in (home / f"{part}.txt").read_text(encoding="utf-8").split():
        files = sorted((home / "intervals" / id).glob("*.mp4"))
        if not files:
            print(f"{home}/intervals/{id}: no videos (of {part}.txt)", file=sys.stderr)
        for file in files:
            points = file.with_suffix(f".{EXTRACTOR}.npy")
            keep(folder, f"{id}-{file.stem}", taken(points) if points.exists() else seen(file))


def taken(points: Path) -> Clip:
    """Return landmarks that were extracted before, with the sound and the faces beside them."""
    file = points.with_suffix("").with_suffix("")
    faces = file.with_suffix(".faces.npy")
    sound = heard(file.with_suffix(".wav"))
    return np.load(points), sound, np.load(faces, mmap_mode="r") if faces.exists() else None


def seen(file: Path) -> Clip:
    """Return landmarks of each frame of a video, its sound, and its faces, cut out around the landmarks."""
    import av

    with av.open(str(file)) as stream:
        rate = float(stream.streams.video[0].average_rate)
        images = [frame.to_ndarray(format="rgb24") for frame in stream.decode(video=0)]
    with av.open(str(file)) as stream:
        resample = av.AudioResampler(format="flt", layout="mono", rate=RATE).resample
        pieces = [piece for frame in stream.decode(audio=0) for piece in resample(frame)]
        sound = np.concatenate([piece.to_ndarray()[0] for piece in [*pieces, *resample(None)]])
    length = round(len(images) * RATE / rate)  # that of the pictures
    sound = np.pad(sound, (0, max(0, length - len(sound))))[:length]
    points = np.stack(list({"mediapipe": by_mediapipe, "fan": by_fan}[EXTRACTOR](images)))
    if EXTRACTOR == "fan":
        return points, sound, None
    faces = np.zeros((len(images), PIXELS, PIXELS, 3), np.uint8)
    for number, image in enumerate(images):
        if np.isfinite(points[number]).all():
            height, width = image.shape[:2]
            x, y = points[number, :, 0] * width, points[number, :, 1] * height
            columns = np.linspace(x.min(), x.max(), PIXELS).clip(0, width - 1).astype(int)
            rows = np.linspace(y.min(), y.max(), PIXELS).clip(0, height - 1).astype(int)
            faces[number] = image[np.ix_(rows, columns)]
    return points, sound, faces


def by_mediapipe(images: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield 478 points of each image, as those of a video, which shake less."""
    import mediapipe

    with mediapipe.solutions.face_mesh.FaceMesh(refine_landmarks=True) as mesh:
        for image in images:
            faces = mesh.process(image).multi_face_landmarks
            points = [[point.x, point.y, point.z] for point in faces[0].landmark] if faces else None
            yield np.array(points) if points else np.full((478, 3), np.nan)


def by_fan(images: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield 68 points of each image, with the depth that the Face Alignment Network guesses."""
    import face_alignment
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = face_alignment.FaceAlignment(
        face_alignment.LandmarksType.THREE_D, device=device, flip_input=False
    )
    for image in images:
        faces = network.get_landmarks_from_image(image)
        yield faces[0] if faces else np.full((68, 3), np.nan)


def write(place: Path, sound: np.ndarray) -> None:
    with wave.open(str(place), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((sound.clip(-1, 1) * 32767).astype("<i2").tobytes())


def heard(file: Path | str) -> np.ndarray:
    with wave.open(str(file), "rb") as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(np.float32) / 32767


if __name__ == "__main__":
    *place, source, value = sys.argv[1:]
    {"toy": toy, "video": video}[source](*place, value)
