"""Words, parts of speech, heads and named entities by stanza's models in a folder; no downloads.

dir: the folder of the models, stanza's own by default.  Either stanza.download
filled it, or it holds your own models: one .pt file in each of tokenize/, mwt/,
pos/, lemma/, depparse/, ner/ (a missing step is skipped, but only tokenized texts
go without tokenize/), and word vectors in pretrain/, character models in
forward_charlm/ and backward_charlm/.  These folders stand in it or in a folder
of the language's tag.
language: the language of the models, that of each record by default.
device: cpu, cuda, …; auto is cuda if there is one.

Source: Qi et al. 2020, Stanza, https://aclanthology.org/2020.acl-demos.14.
"""

import functools
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from dialtools.languages import Language
from dialtools.models.checkpoints import device_of
from dialtools.parsers import _given
from dialtools.plugins.parser import Parser
from dialtools.records import history, tokens
from dialtools.system.errors import MissingError, OptionError, RecordError, need, show

_PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse", "ner")
_WANTED = "tokenize,pos,lemma,depparse"  # of a downloaded language; stanza adds mwt itself
_SHARED = {  # models that others may need
    "pretrain": ("pos", "depparse", "ner"),
    **dict.fromkeys(("forward_charlm", "backward_charlm"), ("pos", "lemma", "depparse", "ner")),
}
_DAMAGE = OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError
_BREAK = "\n\n"  # stanza's sentences never cross an empty line


def parse(
    texts: list[str], *, language: Language, dir: str | None = None, device: str = "auto"
) -> list[list[dict]]:
    """Return the tokens of each text; all are parsed at once, but no sentence crosses two texts.

    dir: folder of the models.
    """
    pipeline = _pipeline(language, dir, device)
    if pipeline.config.get("tokenize_pretokenized"):
        raise MissingError(_advice(language, dir, str(_folder(dir) / "tokenize" / "….pt")))
    document = _run(pipeline, _BREAK.join(texts), None)
    starts = list(accumulate((len(text) + len(_BREAK) for text in texts), initial=0))
    parsed: list[list[dict]] = [[] for _ in texts]
    for sentence in document.sentences:
        number = bisect_right(starts, sentence.tokens[0].start_char) - 1
        tokens, start = parsed[number], starts[number]
        sent = tokens[-1]["sent"] + 1 if tokens else 1
        for token in sentence.tokens:
            tokens += _tokens(token, texts[number], start, sent)
    return parsed


def annotate(
    given: list[list[dict]], *, language: Language, dir: str | None = None, device: str = "auto"
) -> list[list[dict]]:
    """Return the given tokens of each text with the models' annotation."""
    from stanza.models.common.doc import Document

    pipeline = _pipeline(language, dir, device)
    words = [
        [{"id": (number,), "text": form} for number, form in enumerate(forms, 1)]
        for forms in map(_given.forms, _given.sentences(given))
    ]
    steps = [name for name in pipeline.processors if name not in ("tokenize", "mwt")]
    document = _run(pipeline, Document(words), steps)
    tokens = (token for sentence in document.sentences for token in sentence.tokens)
    return _given.merged(given, (facts for token in tokens for facts in _facts(token)))


def versions(*, language: Language, dir: str | None = None, device: str = "auto") -> dict[str, str]:
    """Return the version of stanza, and the name of each model with digits of its hash."""
    pipeline = _pipeline(language, dir, device)
    paths = {name: pipeline.config.get(f"{name}_model_path") for name in pipeline.processors}
    models = {name: _stems(path) for name, path in paths.items() if path}
    return {"stanza": need("stanza", "parse").__version__, **models}


def _stems(paths: str | list[str]) -> str:
    """Return the name of a model, or of several as for downloaded ner, with digits of its hash."""
    listed = [paths] if isinstance(paths, str) else paths
    names = "+".join(Path(path).stem for path in listed)
    files = [path for path in listed if Path(path).is_file()]  # for given words, stanza names none
    return f"{names}-{history.digits_of(*files)}" if files else names


def ready(*, language: Language) -> bool:
    """Tell whether stanza is installed, and its models for a language in its own folder."""
    if not _given.installed("stanza"):
        return False
    folder = _folder(None)
    home = folder / (_downloaded(folder, language) or language.code)
    return any((home / "tokenize").glob("*.pt"))


def _run(pipeline, text, processors: list[str] | None):
    """Return the parsed document of a text, or of a document with words."""
    try:
        return pipeline.process(text, processors)
    except ValueError as error:
        raise RecordError(f"stanza fails: {error}") from None


def _tokens(token, text: str, start: int, sent: int) -> Iterator[dict]:
    """Yield one token, or those of a multiword token."""
    first, last = token.start_char - start, token.end_char - start
    surface = text[first:last]  # stanza's own has other spaces, and <UNK> for very long words
    spans = [{"form": surface, "start": first, "end": last}]
    if len(token.words) > 1:
        spans = tokens.spread(surface, first, [word.text for word in token.words])
    for span, facts in zip(spans, _facts(token), strict=True):
        yield {**span, **facts, "sent": sent}


def _facts(token) -> Iterator[dict]:
    """Yield the annotation of each word of a token."""
    for number, word in enumerate(token.words):
        ner = token.ner and _bio(token.ner, number)
        facts = {
            "lemma": word.lemma,
            "upos": word.upos,
            "xpos": word.xpos,
            "feats": word.feats,
            "head": word.head,
            "deprel": word.deprel,
            "ner": ner,
        }
        yield {key: value for key, value in facts.items() if value is not None}


def _bio(tag: str, number: int) -> str:
    """Return the BIO tag for stanza's BIOES tag; number: of the word in its token, from 0."""
    place, dash, kind = tag.partition("-")
    if not dash:
        return tag
    return f"B-{kind}" if place in "BS" and number == 0 else f"I-{kind}"


@functools.lru_cache(maxsize=4)
def _pipeline(language: Language, dir: str | None, device: str):
    """Return the pipeline of a language; MissingError says what is missing and how to get it."""
    import logging
    from pickle import UnpicklingError

    stanza = need("stanza", "parse")
    from stanza.pipeline.core import PipelineRequirementsException

    logging.getLogger("stanza").setLevel(logging.CRITICAL)  # it would log its errors, too
    folder = _folder(dir)
    load = functools.partial(
        stanza.Pipeline, download_method=None, logging_level="CRITICAL", device=device_of(device)
    )
    try:
        known = _downloaded(folder, language)
        if known:
            ner = any((folder / known / "ner").glob("*.pt"))
            return load(known, dir=str(folder), processors=f"{_WANTED},ner" if ner else _WANTED)
        return _own(load, _models(folder, language), language)
    except PipelineRequirementsException as error:
        lacking = {
            name
            for failure in error.processor_req_fails
            for name in failure.err_processor.requires - failure.provided_reqs
        }
        raise MissingError(
            f"models in {folder} need others that are missing: {', '.join(sorted(lacking))}"
        ) from None
    except FileNotFoundError as error:
        raise MissingError(_advice(language, dir, error.filename)) from None
    except (*_DAMAGE, UnpicklingError) as error:
        raise MissingError(
            f"stanza {stanza.__version__} cannot load its models for {language.tag} from {folder}; "
            f"a file is damaged, or of another version: {show(repr(error), 200)}"
        ) from None


def _folder(dir: str | None) -> Path:
    """Return the folder of the models."""
    if dir:
        return Path(dir)
    from stanza.resources.common import DEFAULT_MODEL_DIR

    return Path(DEFAULT_MODEL_DIR)


def _downloaded(folder: Path, language: Language) -> str | None:
    """Return stanza's name of a language in the folder's list of downloads, or None."""
    import json

    file = folder / "resources.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    name = next((tag for tag in (language.tag.lower(), language.code) if tag in known), None)
    about = known.get(name, {})
    if name and "alias" not in about and "packages" not in about:
        raise MissingError(
            f"{file} is not a list of stanza.download: it has no packages for {name}"
        )
    return about.get("alias", name)


def _models(folder: Path, language: Language) -> dict[str, str]:
    """Return stanza's settings for the user's own models in a folder."""
    tags = (language.tag.lower(), language.code)
    home = next((folder / tag for tag in tags if (folder / tag).is_dir()), folder)
    paths: dict[str, str] = {}
    for name in (*_PROCESSORS, *_SHARED):
        models = sorted((home / name).glob("*.pt"))
        if len(models) > 1:
            several = ", ".join(path.name for path in models)
            raise OptionError(f"{home / name} has several models, {several}: keep one")
        if models:
            paths[name] = str(models[0].resolve())
    if not any(name in paths for name in _PROCESSORS):
        raise FileNotFoundError(2, "no model", str(home / "tokenize" / "….pt"))
    settings = {f"{name}_model_path": paths[name] for name in _PROCESSORS if name in paths}
    for shared, names in _SHARED.items():
        if shared in paths:
            settings |= {f"{name}_{shared}_path": paths[shared] for name in names if name in paths}
    return settings


def _own(load, models: dict[str, str], language: Language):
    """Return the pipeline of the user's own models; stanza also needs a list of downloads."""
    from tempfile import TemporaryDirectory

    settings: dict = dict(models)
    processors = [name for name in _PROCESSORS if f"{name}_model_path" in models]
    if "tokenize" not in processors:
        processors.insert(0, "tokenize")
        settings["tokenize_pretokenized"] = True
    with TemporaryDirectory() as folder:
        Path(folder, "resources.json").write_text("{}", encoding="utf-8")
        return load(
            language.code,
            dir=folder,
            processors=",".join(processors),
            allow_unknown_language=True,
            **settings,
        )


def _advice(language: Language, dir: str | None, missing: str | None) -> str:
    """Return which model is missing and the command that downloads it, if stanza publishes one."""
    from stanza.resources.default_packages import default_treebanks

    code = language.code
    what = f"no stanza model for {language.tag} in {_folder(dir)}"
    what += f" (no {missing})" if missing else ""
    if not any(known == code or known.startswith(f"{code}-") for known in default_treebanks):
        return (
            f"{what}, and stanza publishes none: train it, as tokenize/….pt, pos/….pt, "
            "lemma/….pt, depparse/….pt"
        )
    where = f", model_dir={dir!r}" if dir else ""
    download = f"stanza.download('{code}'{where}, processors='{_WANTED}')"
    return f"""{what}: python -c "import stanza; {download}\""""


PARSER = Parser(parse, annotate=annotate, versions=versions, ready=ready)
