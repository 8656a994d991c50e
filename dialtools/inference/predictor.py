"""A generator with all that dt-generate does around it, asked for the outputs of a few records."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from dialtools.inference import outputs, views
from dialtools.inference.asking import Asking
from dialtools.inference.cache import told
from dialtools.inference.servers import Traffic
from dialtools.models.decoding import Prompting
from dialtools.records import dialogue, history
from dialtools.system.errors import RecordError


class Predictor(NamedTuple):
    """A generator that is ready to be asked.

    predict: records -> their best outputs, and how many of these a cache had.
    label, signature: of the generator; the signature is that of dt-generate.
    """

    predict: Callable[[list[dict]], tuple[list[str], int]]
    label: str
    signature: str


def predictor(
    generator: str | Callable, prompt: str | None, cache: str | None, offline: bool
) -> Predictor:
    """Return a generator with its prompt and its cache.

    prompt: file with a template, else that of a model of dt-train, if it has one.
    cache: SQLite file of outputs, which dt-generate shares for the same generator and prompt.
    """
    plugin, options = outputs.chosen(generator, {"offline": offline})
    settings = plugin.declared.settings(**options)
    prompting = views.trained(Prompting(prompt=prompt), outputs.local(plugin, options))
    needs = () if prompting.prompt else plugin.needs(options)
    view = views.naming(views.asker(prompting), partial(outputs.names_asked, plugin, options))
    extract = views.extractor(prompting.extract) if prompting.extract is not None else None

    def ask(record: dict) -> list[dict]:
        return view(outputs.checked(needs, True, record))

    asked = Asking(plugin, options, settings, None, cache, None, Traffic())

    def predict(records: list[dict]) -> tuple[list[str], int]:
        texts, cached = list[str](), 0
        for record, views_of, outputs_of in asked.outputs(records, ask):
            if isinstance(outputs_of, RecordError):
                raise outputs_of
            plain, hits = told(outputs_of)
            answer = views.answered(record, views_of, plain, extract, prompting.each)
            texts.append(dialogue.best(answer))
            cached += hits
        return texts, cached

    signature = history.signature(
        plugin.name, **settings, **plugin.provenance, **views.parts(prompting, seed=0)
    )
    return Predictor(predict, plugin.label, signature)
