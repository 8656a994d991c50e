"""What the manual pages have, which runs have it, and the fewest runs that have all that any has."""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# options whose values are specs of plug-ins that the page of the command lists
SPECS = "--kind", "--metric", "--generator", "--test", "--from", "--parser", "--objective"
SHORT = 2.5  # seconds
ITEM = re.compile(r"^\.TP\n(.+)\n(.*)", re.MULTILINE)


@dataclass
class Page:
    """What a manual page says: options by each of their names, and plug-ins with their options."""

    names: dict[str, str] = field(default_factory=dict)  # each name of an option, and its long one
    takes_value: dict[str, bool] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    plug_ins: dict[str, dict[str, list[str]]] = field(default_factory=dict)


def pages(checkout: Path) -> dict[str, Page]:
    """Return the manual pages by command; "dt-train generator" is a command."""
    by_command = {}
    for path in sorted((checkout / "man").glob("*.1")):
        text = path.read_text(encoding="utf-8").replace("\\-", "-").replace("\\(aq", "'")
        name = path.stem.replace("dt-train-", "dt-train ")
        by_command[name] = page(text)
    return by_command


def page(text: str) -> Page:
    """Return what a manual page says."""
    manual = Page()
    for section in re.split(r"^\.SH ", text, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        for tag, about in ITEM.findall(section):
            names = re.findall(r"\\fB(.+?)\\fR", tag)
            if not names:
                continue
            if title == "OPTIONS" and names[0].startswith("-"):
                add_option(manual, tag, names)
            elif "Options are written after a colon" in section:
                manual.plug_ins[names[0]] = dict(plug_in_options(about))
    return manual


def add_option(manual: Page, tag: str, names: list[str]) -> None:
    """Add an option, such as "-k, --kind SPEC" or "--gender / --no-gender"."""
    metavar = re.sub(r"\\fB.+?\\fR|[,/]", "", tag).strip()
    long = [name for name in names if name.startswith("--")]
    for name in names:
        manual.names[name] = name if " / " in tag else long[-1]
    manual.takes_value[long[-1]] = bool(metavar)
    if re.fullmatch(r"\[[a-z0-9|_-]+\]", metavar):
        manual.choices[long[-1]] = metavar.strip("[]").split("|")


def plug_in_options(about: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the options of a plug-in, each with the values that it may have but for the default.

    >>> dict(plug_in_options("What it is.  Options: k=1, kind=[any]|drop|add, tok=…."))
    {'k': [], 'kind': ['drop', 'add'], 'tok': []}
    """
    listed = about.partition("Options: ")[2].removesuffix(".")
    for name, values in re.findall(r"(\w+)=(\S*?)(?:, |$)", listed):
        choices = [value for value in values.split("|") if not value.startswith("[")]
        yield name, choices if "|" in values else []


def documented(checkout: Path) -> list[str]:
    """Return all that runs can have: commands, options, their values, plug-ins, functions."""
    items = []
    for command, manual in pages(checkout).items():
        items.append(command)
        for name in dict.fromkeys(manual.names.values()):
            items.append(f"{command} {name}")
            items += [f"{command} {name} {value}" for value in manual.choices.get(name, [])]
        for name, options in manual.plug_ins.items():
            items.append(f"{command} {name}")
            for option, values in options.items():
                items += [f"{command} {name}:{option}"]
                items += [f"{command} {name}:{option}={value}" for value in values]
    names = subprocess.run(
        [sys.executable, "-c", "import dialtools; print(*dialtools.__all__)"],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return items + [f"dialtools.{name}" for name in names]


def had(calls: list[list[str]], known: dict[str, Page]) -> Iterator[str]:
    """Yield the items that calls of commands and functions have."""
    for name, *arguments in calls:
        if name == "call":
            yield from re.findall(r"dialtools\.\w+", arguments[0])
            continue
        if name == "dt":
            yield "dt"
            if arguments and f"dt-{arguments[0]}" in known:
                name, *arguments = f"dt-{arguments[0]}", *arguments[1:]
        if arguments and f"{name} {arguments[0]}" in known:
            name, *arguments = f"{name} {arguments[0]}", *arguments[1:]
        if name in known:
            yield name
            yield from had_options(name, arguments, known[name])


def had_options(command: str, arguments: list[str], manual: Page) -> Iterator[str]:
    """Yield the items that the arguments of a command have."""
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word[:1] == "-" and word[:2] != "--" and len(word) > 2 and word[:2] in manual.names:
            name, equals, value = word[:2], "=", word[2:]  # -n5
        if name not in manual.names:
            continue
        option = manual.names[name]
        yield f"{command} {option}"
        if manual.takes_value.get(option):
            value = value if equals else next(words, "")
            yield f"{command} {option} {value}"
            if option in SPECS:
                yield from had_plug_in(command, value, manual)


def had_plug_in(command: str, spec: str, manual: Page) -> Iterator[str]:
    """Yield a plug-in, its options and their values."""
    name, _, options = spec.partition(":")
    yield f"{command} {name}"
    for option, value in re.findall(r"(\w+)=([^,]*)", options):
        yield f"{command} {name}:{option}"
        yield f"{command} {name}:{option}={value}"


def tell_missing(runs: list[dict], checkout: Path) -> int:
    """Print what no run has; return the exit status."""
    known, items = pages(checkout), documented(checkout)
    present = {item for run in runs for item in had(run["calls"], known)}
    missing = [item for item in items if item not in present]
    by_command = defaultdict(list)
    for item in missing:
        command = next(
            (name for name in sorted(known, key=len, reverse=True) if item.startswith(f"{name} ")),
            "",
        )
        by_command[command].append(item.removeprefix(f"{command} "))
    for command, names in by_command.items():
        print(f"{command or 'others'}: {', '.join(names)}")
    print(f"{len(items) - len(missing)} of {len(items)} are in {len(runs)} runs")
    return int(bool(missing))


def choose_quick(runs: list[dict], checkout: Path) -> None:
    """Mark short runs as quick that together have all that any short one has, those that cost least."""
    known, all_items = pages(checkout), set(documented(checkout))
    items = {
        run["line"]: {run["template"]} | all_items.intersection(had(run["calls"], known))
        for run in runs
    }
    for run in runs:
        run["quick"] = False
    remaining = sorted(
        (run for run in runs if run["seconds"] < SHORT), key=lambda run: run["seconds"]
    )
    wanted = set().union(*(items[run["line"]] for run in remaining))
    while wanted:
        best = max(
            remaining, key=lambda run: len(items[run["line"]] & wanted) / (run["seconds"] + 0.1)
        )
        best["quick"] = True
        wanted -= items[best["line"]]
