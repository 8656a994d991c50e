"""Hostile values, records and files: sound ones with a few changes, drawn by a random generator."""

import gzip
import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

# what JSON itself cannot hold, or json.dumps cannot write, stands under a name until it is written
RAW = {
    "\0nan": "NaN",
    "\0infinity": "-Infinity",
    "\0huge": "1e400",
    "\0cut": '"',
    "\0surrogate": '"\\ud800"',
    **{f"\0lists {depth}": "[" * depth + "]" * depth for depth in (60, 500, 5000)},
    **{f"\0objects {depth}": '{"text":' * depth + "1" + "}" * depth for depth in (60, 500)},
}
TEXTS = [
    "",
    " ",
    "\n",
    "\t",
    "\0",
    "\r",
    "\x1b[31m",
    "\u2028",
    "\u202e\u200b",
    "\ufeff",
    "e\u0301\u0301",
    "\u0301",
    "👩‍👩‍👧",
    "中",
    "م 1٢",
    "²",
    "%s{0}$(x){{x}}",
    "<b>&amp;</b>",
    "Ann: Hi",
    ": ",
    "#Person1#",
    "x:y/z",
    "../x",
    "=1+1",
    "NaN",
    "null",
    "-1",
    "1e999",
    "0",
    "en",
    "xx-Latn-x-y",
    "scores.a",
    "0.0.0",
    "a b " * 3000,
    "x" * 50_000,
    "[" * 2000,
    "(" * 500,
]
NUMBERS = [0, -1, 1, 2, 1.5, -0.0, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63, -(2**63), 2**200]
OTHERS: list[Any] = [None, True, False, [], {}, [[]], [None], [""], {"": None}, {"id": 1}, [0, 1]]
VALUES: list[Any] = [*TEXTS, *NUMBERS, *OTHERS, *RAW]
SMALL = 5_000_000  # bytes: what is longer is not made longer still


def value(random: Random, sound: Any = None, donor: Any = None) -> Any:
    """Return a hostile value: any one, one that is near to a sound one, or a part of the donor."""
    choice = random.random()
    if choice < 0.35 and sound is not None:
        return _near(random, sound)
    if choice < 0.5 and donor is not None:
        return random.choice(list(_parts(donor)))
    return random.choice(random.choice([TEXTS, NUMBERS, OTHERS, list(RAW)]))


def _near(random: Random, sound: Any) -> Any:
    """Return a value of the same type, mostly, that is odd."""
    if isinstance(sound, str):
        place = random.randrange(len(sound) + 1)
        odd = random.choice(TEXTS)
        return random.choice(
            [
                sound[:place],
                sound[:place] + odd + sound[place:],
                odd + sound,
                sound[::-1],
                sound.upper(),
                sound * (3 if len(sound) > 500 else 200),
                [sound, odd],
                {"text": sound},
            ]
        )
    if isinstance(sound, bool) or not isinstance(sound, (int, float, list, dict)):
        return random.choice([not sound, str(sound), int(bool(sound)), [sound]])
    if isinstance(sound, (int, float)):
        return random.choice([-sound, sound + 1, sound - 1, sound * 10**6, sound / 3, str(sound)])
    if isinstance(sound, list):
        more = random.choice(VALUES)
        return random.choice(
            [sound * 2, sound[::-1], sound[:1], sound[1:], [*sound, more], [sound]]
        )
    return random.choice([[sound], sound | {"": sound}, list(sound), dict(list(sound.items())[:1])])


def _parts(sound: Any) -> Any:
    yield sound
    for inner in (
        sound.values() if isinstance(sound, dict) else sound if isinstance(sound, list) else ()
    ):
        yield from _parts(inner)


def changed(random: Random, sound: Any, donor: Any = None) -> Any:
    """Return a JSON value with one hostile change somewhere in it."""
    donor = sound if donor is None else donor
    if isinstance(sound, dict) and sound and random.random() < 0.85:
        key = random.choice(list(sound))
        action = random.random()
        if action < 0.08:
            return {name: inner for name, inner in sound.items() if name != key}
        if action < 0.14:
            new = random.choice(
                ["", "id", "text", "tokens", "dialogue", "\x1b[31m", "a.b", "x" * 999]
            )
            return {new if name == key else name: inner for name, inner in sound.items()}
        return sound | {key: changed(random, sound[key], donor)}
    if isinstance(sound, list) and sound and random.random() < 0.8:
        place = random.randrange(len(sound))
        return [*sound[:place], changed(random, sound[place], donor), *sound[place + 1 :]]
    return value(random, sound, donor)


def dumps(hostile: Any) -> str:
    """Return the JSON of a value, and what is no JSON where it was asked for."""
    text = json.dumps(hostile, ensure_ascii=False)
    for name, raw in RAW.items():
        text = text.replace(json.dumps(name), raw)
    return text


def encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def records(random: Random, data: bytes) -> bytes:
    """Return JSON Lines, at most a dozen of them, some with changes."""
    lines = data.splitlines()
    start = random.randrange(max(1, len(lines) - 6))
    lines = lines[start : start + random.randint(1, 12)]
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(lines)) if lines else 0
        if lines:
            lines[place] = _json(random, lines[place])
    if lines and random.random() < 0.1:
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"\n".join(lines) + b"\n"


def _json(random: Random, data: bytes) -> bytes:
    try:
        return encoded(dumps(changed(random, json.loads(data))))
    except (ValueError, RecursionError):
        return octets(random, data)


def table(random: Random, data: bytes) -> bytes:
    """Return a table in which cells, quotes or delimiters changed."""
    lines = data.splitlines(keepends=True)
    delimiter = b"\t" if b"\t" in data else b","
    if not lines:
        return octets(random, data)
    place = random.choice([0, random.randrange(len(lines))])
    cells = lines[place].split(delimiter)
    where = random.randrange(len(cells))
    action = random.randrange(5)
    if action == 0:
        cells[where] = encoded(str(value(random, cells[where].decode(errors="replace"))))
    elif action == 1:
        del cells[where]
    elif action == 2:
        cells[where] += b'"'
    elif action == 3:
        cells = cells * random.choice([2, 300])
    else:
        cells[where] = _json(random, cells[where])
    lines[place] = delimiter.join(cells)
    return b"".join(lines)


def octets(random: Random, data: bytes) -> bytes:
    """Return bytes with some of them flipped, cut off, left out, moved or repeated."""
    held = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        begin = random.randrange(len(held) + 1)
        end = min(len(held), begin + random.choice([1, 2, 8, 100]))
        action = random.randrange(8)
        if action < 3 and begin < len(held):
            held[begin] ^= 1 << random.randrange(8)
        elif action == 3 and begin < len(held):
            held[begin] = random.choice([0, 255, 127, 128, 34, 10])
        elif action == 4:
            del held[begin:]
        elif action == 5:
            del held[begin:end]
        elif action == 6 and len(held) < SMALL:
            held[begin:begin] = held[begin:end] * random.choice([1, 3, 2000])
        else:
            held[begin:begin] = encoded(random.choice(TEXTS))[:5000]
    return bytes(held)


def texts(random: Random, data: bytes) -> bytes:
    """Return a text in which lines were repeated, left out or changed, or words within them."""
    lines = data.splitlines(keepends=True)
    if not lines or random.random() < 0.3:
        return octets(random, data)
    place = random.randrange(len(lines))
    line = lines[place].decode(errors="replace")
    words = re.split(r"([\s:;,=|\[\]{}()<>\"'/.-]+)", line)
    words[random.randrange(len(words))] = str(value(random, random.choice(words) or None))
    lines[place : place + 1] = random.choice(
        [
            [],
            [lines[place]] * 3,
            [encoded("".join(words))],
            [encoded("".join(words))],
            [lines[place], random.choice(lines)],
        ]
    )
    return b"".join(lines)


def archive(random: Random, data: bytes) -> bytes:
    """Return a .zip with a flipped byte, or sound but for what one of its members holds."""
    if random.random() < 0.4:
        return octets(random, data)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        victim = random.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == victim:
                action = random.randrange(6)
                if action == 0:
                    continue
                if action == 1:
                    name = random.choice(["../x.txt", "/", "x" * 300, "_chat.txt"])
                content = markup(random, content)
            new.writestr(name, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def markup(random: Random, data: bytes) -> bytes:
    """Return XML in which a value, a name or a number changed."""
    found = list(re.finditer(rb'"[^"]*"|>[^<]*<|<\w+', data))
    if not found or random.random() < 0.3:
        return texts(random, data)
    one = random.choice(found)
    odd = random.choice(
        [b"XFD1048576", b"A0", b"1e999", b"-1", b"99999999999", b"e", b"x", b"", b"<"]
    )
    inner = one[0][1:-1] if one[0][:1] in b'">' else one[0][1:]
    return data[: one.start()] + one[0].replace(inner, odd, 1) + data[one.end() :]


KINDS: dict[str, Callable[[Random, bytes], bytes]] = {
    ".jsonl": records,
    ".json": _json,
    ".csv": table,
    ".tsv": table,
    ".xlsx": archive,
    ".zip": archive,
    ".txt": texts,
    ".conllu": texts,
    ".jinja": texts,
    "": texts,
}


def content(random: Random, data: bytes, suffix: str) -> bytes:
    """Return hostile content of a file whose name ends so."""
    if suffix == ".gz":
        if random.random() < 0.5:
            return octets(random, data)
        return gzip.compress(records(random, gzip.decompress(data)))
    if random.random() < 0.1:
        return octets(random, data)
    return KINDS.get(suffix, octets)(random, data)


def copy(random: Random, source: Path, target: Path) -> None:
    """Write a hostile copy of a file, or of a folder with one hostile file in it."""
    if not source.is_dir():
        target.write_bytes(content(random, source.read_bytes(), source.suffix))
        return
    shutil.copytree(source, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    victim = random.choice(files)
    if random.random() < 0.1:
        victim.unlink()
    else:
        victim.write_bytes(content(random, victim.read_bytes(), victim.suffix))
