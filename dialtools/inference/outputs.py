"""Outputs of a generator for records, window by window."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice

from dialtools.evaluation import noise
from dialtools.inference import batchfiles, cache, completions
from dialtools.inference.views import Ask
from dialtools.pipeline import engine
from dialtools.plugins import registry
from dialtools.records import history, wellformed
from dialtools.system.batches import batches
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.stable_hash import Seen

Asked = tuple[dict, list[dict]]  # a record, and the views of it for a generator
Made = tuple[dict, list[dict], list[dict]]  # and the generator's outputs for them


def windows(records: Iterable[dict], ask: Ask, size: int) -> Iterator[list[Asked]]:
    """Return an iterator of windows of so many records, each with its views."""
    return batches(((record, ask(record)) for record in records), size)


def questions(
    windows: Iterable[list[Asked]], plugin: registry.Plugin, options: dict
) -> Iterator[dict]:
    """Yield the questions for a server, as lines of a batch file."""
    plugin.declared.settings(**options)  # which checks them
    first = options["endpoint"].split()[0]  # a batch file is for one server
    seen, address = Seen(), completions.address(first, options["api"])
    for _, views in chain.from_iterable(windows):
        yield from batchfiles.requests(plugin.declared.requests(views, **options), address, seen)


def maker(
    plugin: registry.Plugin,
    options: dict,
    settings: dict,
    answers: str | None,
    kept: str | None,
    identity_check: int | None,
) -> cache.Make:
    """Return a function from views to outputs: the generator behind its cache and checks.

    settings: its options as they take effect.
    answers: batch file of a server's answers.
    kept: SQLite file of earlier outputs.
    identity_check: number of records to generate twice.
    """
    if answers:
        plugin = plugin.bound(ask=batchfiles.answers(answers))
    make: Callable = partial(plugin.call, **options)
    if kept:
        # a folder is known by its content
        named = settings if "endpoint" in options else {**settings, "model": None}

        def telling(views: list[dict], arrived: cache.Arrived) -> Iterable[dict]:
            return plugin.bound(arrived=arrived).call(views, **options)

        signature = history.signature(plugin.name, **plugin.provenance, **named)
        make = cache.through(telling, kept, signature, options)
    return (
        make if identity_check is None else noise.rechecked(make, plugin, options, identity_check)
    )


def outputs(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Made]:
    """Yield each record of a window with its views and outputs; name: of the generator.

    If a record fails, the records before it are made before its error is raised.
    """
    done: list[dict] = []
    try:
        for output in _made(asked, make, name):
            yield output
            done.append(output[0])
    except RecordError as error:
        culprit = engine.culprit([record for record, _ in asked], done, error)
        before = asked[len(done) : culprit] if culprit is not None else []
        if before:
            yield from _made(before, make, name)
        raise


def _made(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Made]:
    made = iter(make([view for _, views in asked for view in views]))
    for record, views in asked:
        own = list(islice(made, len(views)))
        _check_number(len(own) == len(views), name)
        _check_outputs(own, name)
        yield record, views, own
    _check_number(next(made, None) is None, name)


def _check_number(fits: bool, name: str) -> None:
    if not fits:
        raise OptionError(f"{name} did not return one output for each record")


def _check_outputs(made: list, name: str) -> None:
    """Raise OptionError for a user's function that returns anything but outputs."""
    for one in made:
        found = one.get("prediction") if isinstance(one, dict) else None
        if found is None or wellformed.problem("prediction", found):
            raise OptionError(
                f'{name} must return dicts with a "prediction", a string or a list '
                "of strings, not "
                f"{one!r:.60}"
            )
