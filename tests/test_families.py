"""dt-generate with models of each family it is for: against plain transformers, by torch and by ctranslate2."""

from pathlib import Path
from typing import Any

import pytest

import tiny_families
import tiny_models
from dialtools.commands.generate import generate
from dialtools.errors import OptionError
from dialtools.models import conversion, ctranslate, loading

RECORDS = [{"id": number, "lang": "en", "text": text}
           for number, text in enumerate([*tiny_models.TEXTS, " ".join(tiny_models.TEXTS[:3]), "Hi"])]
LANGUAGES = {"mbart": ("ja_XX", "hi_IN"), "mbart50": ("ja_XX", "hi_IN"), "m2m": ("ja", "hi"),
             "nllb": ("jpn_Jpan", "hin_Deva")}
FAMILIES = ("bart", "pegasus", "t5", "flan", "mt5", "mbart", "mbart50", "m2m", "nllb", "llama")


@pytest.fixture
def made_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Convert models in this process, which is quicker; only int8 would spoil what is in its memory."""
    pytest.importorskip("ctranslate2")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(ctranslate, "_convert_apart",
                        lambda name, source, made, precision, trust: conversion.convert(source, made, precision))


def saved(family: str, place: Path) -> tuple[str, Any, Any]:
    """Return the folder of a model, the model and its tokenizer."""
    pytest.importorskip("transformers")
    if family == "m2m":
        pytest.importorskip("sentencepiece")
        model, words = tiny_families.m2m(place)
    else:
        model, words = tiny_models.nllb() if family == "nllb" else getattr(tiny_families, family)()
    return tiny_models.save(place / family, model, words), model.eval(), words


def by_transformers(family: str, model: Any, words: Any) -> list[str]:
    """Return what plain transformers writes for each record, told of languages as its manual says for the family."""
    source, target = LANGUAGES.get(family, ("", ""))
    more, known = {}, getattr(words, "lang_token_to_id", {})
    if target:
        words.src_lang = source
        token = known[f"__{target}__"] if known else words.convert_tokens_to_ids(target)
        more = {"decoder_start_token_id" if family == "mbart" else "forced_bos_token_id": token}
    found = []
    for record in RECORDS:
        if words.chat_template:
            given = words.apply_chat_template([{"role": "user", "content": record["text"]}], return_tensors="pt",
                                              add_generation_prompt=True, return_dict=True)
        else:
            given = words(record["text"], return_tensors="pt")
        start = given["input_ids"].shape[1] if family == "llama" else 1
        with loading.hushed():
            out = model.generate(input_ids=given["input_ids"], attention_mask=given["attention_mask"], num_beams=4,
                                 max_new_tokens=12, early_stopping=True, do_sample=False, **more)
        own = [token for token in out[0, start:].tolist() if token not in known.values()]
        found.append(words.decode(own, skip_special_tokens=True).strip())
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_both_engines_write_what_transformers_writes(family: str, made_here, tmp_path: Path):
    place, model, words = saved(family, tmp_path)
    expected = by_transformers(family, model, words)
    assert len(set(expected)) > 3  # they depend on what was read
    source, target = LANGUAGES.get(family, (None, None))
    options = dict(model=place, early_stopping=True, renormalize=True, max_new_tokens=12, src_lang=source,
                   tgt_lang=target)
    for engine in ("torch", "ctranslate2"):
        made = generate(RECORDS, engine=engine, no_repeat_ngram_size=0, **options)
        assert [record["prediction"] for record in made] == expected
    longer = [[record["prediction"] for record in generate(RECORDS, engine=engine, num_return=3, min_new_tokens=9,
                                                           **options)] for engine in ("torch", "ctranslate2")]
    assert longer[0] == longer[1]


@pytest.mark.parametrize("family", LANGUAGES)
def test_which_language_is_not_guessed(family: str, tmp_path: Path):
    """The decoder of mBART-25 would begin with another token, and write in no language at all."""
    place = saved(family, tmp_path)[0]
    with pytest.raises(OptionError, match="in which language\\? --tgt-lang CODE"):
        list(generate(RECORDS[:1], model=place, max_new_tokens=9))
    with pytest.raises(OptionError, match="knows no language 'hi_XX'.*it has a"):
        list(generate(RECORDS[:1], model=place, tgt_lang="hi_XX", max_new_tokens=9))
