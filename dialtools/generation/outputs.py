"""From records to what a generator makes of them, window by window."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice

from dialtools import noise, registry
from dialtools.batches import batches
from dialtools.errors import OptionError, RecordError
from dialtools.generation import batchfiles, cache, completions
from dialtools.generation.views import Ask
from dialtools.keyed import Seen
from dialtools.records import history, wellformed
from dialtools.run import failures

Asked = tuple[dict, list[dict]]  # a record, and the views of it that a generator is given
Output = tuple[dict, list[dict], list[dict]]  # and what it made of these


def windows(records: Iterable[dict], ask: Ask, size: int) -> Iterator[list[Asked]]:
    """Return an iterator of so many records at once, each with what the generator is given for it."""
    return batches(((record, ask(record)) for record in records), size)


def questions(windows: Iterable[list[Asked]], plugin: registry.Plugin, options: dict) -> Iterator[dict]:
    """Yield what a server would be asked, as lines of a batch file."""
    plugin.constant("settings", dict)(**options)  # checks them
    seen, address = Seen(), completions.address(options["endpoint"], options["api"])
    for _, views in chain.from_iterable(windows):
        yield from batchfiles.requests(plugin.constant("requests", None)(views, **options), address, seen)


def maker(plugin: registry.Plugin, options: dict, settings: dict, answers: str | None, kept: str | None,
          identity_check: int | None) -> cache.Make:
    """Return what makes outputs: the generator, and what stands before it.

    settings: its options as they take effect.
    answers: batch file of a server's answers.
    kept: SQLite file of what was made before.
    identity_check: how many records are generated twice.
    """
    if answers:
        plugin = plugin.bound(ask=batchfiles.answers(answers))
    make: Callable = partial(plugin.call, **options)
    if kept:
        named = settings if "endpoint" in options else {**settings, "model": None}  # a folder is known by its content
        make = cache.through(make, kept, history.signature(plugin.name, **named), options)
    return make if identity_check is None else noise.rechecked(make, plugin, options, identity_check)


def outputs(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Output]:
    """Yield each record of a window with what was read for it, and what was made of that; name: who makes it.

    Where one cannot be worked on, those before it are made by themselves before that is raised.
    """
    done: list[dict] = []
    try:
        for output in _made(asked, make, name):
            yield output
            done.append(output[0])
    except RecordError as error:
        culprit = failures.culprit([record for record, _ in asked], done, error)
        before = asked[len(done):culprit] if culprit is not None else []
        if before:
            yield from _made(before, make, name)
        raise


def _made(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Output]:
    made = iter(make([view for _, views in asked for view in views]))
    for record, views in asked:
        own = list(islice(made, len(views)))
        _check_number(len(own) == len(views), name)
        _check_outputs(own, name)
        yield record, views, own
    _check_number(next(made, None) is None, name)


def _check_number(fits: bool, name: str) -> None:
    if not fits:
        raise OptionError(f"{name} did not make as many outputs as it was given records")


def _check_outputs(made: list, name: str) -> None:
    """Raise OptionError for what a function of the user's own gives that is no output."""
    for one in made:
        found = one.get("prediction") if isinstance(one, dict) else None
        if found is None or wellformed.problem("prediction", found):
            raise OptionError(f'{name} gives what is no dict with a "prediction", a string or a list of them: '
                              f"{one!r:.60}")
