"""Words, lemmas, parts of speech and heads by stanza's neural models, from a folder; never downloads.

dir: the folder of the models, stanza's own by default.  It is one that
stanza.download filled, or one of models trained by yourself: one .pt file in
each of tokenize/, mwt/, pos/, lemma/, depparse/ (what is missing is left out,
but for tokenize), and pretrain/ for word vectors; these folders stand in it or
in a folder of the language's tag.
lang: the language of the models, that of each record by default.

Source: Qi et al. 2020, Stanza, https://aclanthology.org/2020.acl-demos.14.
"""

import functools
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from dialtools import languages
from dialtools.converting import multiword
from dialtools.errors import MissingError, OptionError, RecordError, need, show

_PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse")
_WANTED = "tokenize,pos,lemma,depparse"  # of a downloaded language; stanza adds mwt where there is one
_BREAK = "\n\n"  # no sentence of stanza's crosses an empty line


def parse(texts: list[str], *, lang: str, dir: str | None = None) -> list[list[dict]]:
    """Return the tokens of each text; all texts are parsed at once, but no sentence crosses two of them.

    dir: folder of the models.
    """
    pipeline = _pipeline(lang, dir)
    try:
        document = pipeline(_BREAK.join(texts))
    except ValueError as error:
        raise RecordError(f"stanza fails on {show(texts[0])}: {error}") from None
    starts = list(accumulate((len(text) + len(_BREAK) for text in texts), initial=0))
    parsed: list[list[dict]] = [[] for _ in texts]
    for sentence in document.sentences:
        number = bisect_right(starts, sentence.tokens[0].start_char) - 1
        tokens, start = parsed[number], starts[number]
        sent = tokens[-1]["sent"] + 1 if tokens else 1
        for token in sentence.tokens:
            tokens += _tokens(token, texts[number], start, sent)
    return parsed


def versions(*, lang: str, dir: str | None = None) -> dict[str, str]:
    """Return the version of stanza and the name of each model."""
    pipeline = _pipeline(lang, dir)
    paths = {name: pipeline.config.get(f"{name}_model_path") for name in pipeline.processors}
    return {"stanza": need("stanza", "parse").__version__,
            **{name: Path(path).stem for name, path in paths.items() if path}}


def _tokens(token, text: str, start: int, sent: int) -> Iterator[dict]:
    """Yield one token, or those of a multiword token."""
    first, last = token.start_char - start, token.end_char - start
    surface = text[first:last]  # stanza's own text has other spaces, and <UNK> for what is very long
    spans = [{"form": surface, "start": first, "end": last}]
    if len(token.words) > 1:
        spans = multiword.spread(surface, first, [word.text for word in token.words])
    for span, word in zip(spans, token.words, strict=True):
        facts = {"lemma": word.lemma, "upos": word.upos, "xpos": word.xpos, "feats": word.feats,
                 "head": word.head, "deprel": word.deprel}
        yield {**span, **{key: value for key, value in facts.items() if value is not None}, "sent": sent}


@functools.lru_cache(maxsize=4)
def _pipeline(lang: str, dir: str | None):
    """Return the pipeline of a language, loaded; MissingError says what is not there and how to get it."""
    import logging
    from pickle import UnpicklingError

    stanza = need("stanza", "parse")
    from stanza.pipeline.core import PipelineRequirementsException
    from stanza.resources.common import DEFAULT_MODEL_DIR

    logging.getLogger("stanza").setLevel(logging.CRITICAL)  # what it says of an error, the error says too
    folder = Path(dir or DEFAULT_MODEL_DIR)
    load = functools.partial(stanza.Pipeline, download_method=None, logging_level="CRITICAL")
    try:
        known = _downloaded(folder, lang)
        if known:
            return load(known, dir=str(folder), processors=_WANTED)
        return _own(load, _models(folder, lang), lang)
    except PipelineRequirementsException as error:
        lacking = {name for failure in error.processor_req_fails
                   for name in failure.err_processor.requires - failure.provided_reqs}
        raise MissingError(f"models in {folder} need another one beside them: {', '.join(sorted(lacking))}") from None
    except FileNotFoundError as error:
        raise MissingError(_advice(lang, dir, folder, error.filename)) from None
    except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, UnpicklingError) as error:
        raise MissingError(f"stanza {stanza.__version__} cannot load its models for {lang} from {folder}: "
                           f"{show(repr(error), 200)}") from None


def _downloaded(folder: Path, lang: str) -> str | None:
    """Return what stanza calls a language that its list of downloads in the folder has, or None."""
    import json

    file = folder / "resources.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return next((tag for tag in (lang.lower(), languages.tag(lang)) if tag in known), None)


def _models(folder: Path, lang: str) -> dict[str, str]:
    """Return stanza's settings for the models of one's own in a folder."""
    tags = (lang.lower(), languages.tag(lang))
    home = next((folder / tag for tag in tags if (folder / tag).is_dir()), folder)
    paths: dict[str, str] = {}
    for name in (*_PROCESSORS, "pretrain"):
        found = sorted((home / name).glob("*.pt"))
        if len(found) > 1:
            raise OptionError(f"{home / name} has several models, {', '.join(path.name for path in found)}: keep one")
        paths |= {name: str(found[0].resolve()) for _ in found}
    if "tokenize" not in paths:
        raise FileNotFoundError(2, "no model", str(home / "tokenize" / "….pt"))
    vectors = paths.pop("pretrain", None)
    return ({f"{name}_model_path": path for name, path in paths.items()}
            | {f"{name}_pretrain_path": vectors for name in ("pos", "depparse") if vectors and name in paths})


def _own(load, models: dict[str, str], lang: str):
    """Return the pipeline of models of one's own; stanza insists on a list of downloads, so it gets an empty one."""
    from tempfile import TemporaryDirectory

    processors = ",".join(name for name in _PROCESSORS if f"{name}_model_path" in models)
    with TemporaryDirectory() as folder:
        Path(folder, "resources.json").write_text("{}", encoding="utf-8")
        return load(languages.tag(lang), dir=folder, processors=processors, allow_unknown_language=True, **models)


def _advice(lang: str, dir: str | None, folder: Path, missing: str | None) -> str:
    """Return which model is missing and the command that gets it, or that there is none to get."""
    from stanza.resources.default_packages import default_treebanks

    tag = languages.tag(lang)
    what = f"no stanza model for {lang} in {folder}" + (f" (no {missing})" if missing else "")
    if not any(known == tag or known.startswith(f"{tag}-") for known in default_treebanks):
        return f"{what}, and stanza publishes none: train it, as tokenize/….pt, pos/….pt, lemma/….pt, depparse/….pt"
    where = f", model_dir={dir!r}" if dir else ""
    return f"""{what}: python -c "import stanza; stanza.download('{tag}'{where}, processors='{_WANTED}')\""""
