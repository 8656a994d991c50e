"""Prompts: templates in a sandbox, shots."""

from collections import Counter

import pytest

from dialtools.inference import prompts
from dialtools.system.errors import OptionError, RecordError

RECORD = {
    "id": "d7",
    "lang": "en",
    "dialogue": "Ann: Hi {x} <b>\nBob: नमस्ते 👩‍👩‍👧",
    "reference": ["One.", "Two."],
    "my-key": 3,
    "nothing": None,
    "context": "Who?",
}


@pytest.mark.parametrize(
    "source, expected",
    [
        ("{{ dialogue }}", "Ann: Hi {x} <b>\nBob: नमस्ते 👩‍👩‍👧"),
        ("{{ dialogue[:-1] }}", "Ann: Hi {x} <b>"),
        (
            "{% for turn in dialogue %}\n{{ loop.index }} {{ turn.text }}\n{% endfor %}\n",
            "1 Hi {x} <b>\n2 नमस्ते 👩‍👩‍👧\n",
        ),
        ("{{ reference | best }}|{{ context | best }}", "One.|Who?"),
        ("{{ record['my-key'] }}", "3"),
        ("{{ record['id'] }} {{ extra }}", "d7 more"),
        ("no slot", "no slot"),
        ("{{ reference | join(' ') }}", "One. Two."),
        ("{% if nothing is defined and nothing %}x{% else %}y{% endif %}", "y"),
        ("{{ '{' }}{{ context }}{{ '}' }}", "{Who?}"),
    ],
)
def test_templates(source: str, expected: str):
    assert prompts.template(source)(RECORD, extra="more") == expected


@pytest.mark.parametrize(
    "source, message",
    [
        (
            "{{ contxt }}",
            r't: no "contxt" \(did you mean context\?\); the record has id, lang, .*\(id "d7"\)',
        ),
        ("{{ भाषा }}", 't: no "भाषा"; the record has id, lang'),
        ("{{ dialogue[0].name }}", "no attribute 'name'"),
        ("{{ reference }}", "choose an item of a list, or loop over it"),
        ("{{ nothing }}", "null is no text"),
        ("{{ dialogue[0] }}", "no text"),
        ("{{ dialogue[5] }}", "no element 5"),
        (" {# nothing #}\n", "the prompt is empty"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ dialogue[:0] }}", "no text"),
        ("{{ ''.__class__.__mro__ }}", "__class__"),
        ("{{ reference.append(1) }}", "append"),
        ("{% for i in range(10**9) %}{% endfor %}", "Range too big"),
        ("{% include 'x' %}", "no loader"),
        ("{{ context + 1 }}", "str"),
        ("{{ context.nope() }}", "no attribute 'nope'"),
    ],
)
def test_what_a_record_or_a_template_lacks(source: str, message: str):
    with pytest.raises(RecordError, match=message) as caught:
        prompts.template(source, "t")(RECORD)
    assert "\n" not in str(caught.value)
    assert RECORD["reference"] == ["One.", "Two."]


def test_a_template_that_is_none(tmp_path):
    file = tmp_path / "p.txt"
    file.write_text("one\n{% if %}")
    with pytest.raises(OptionError, match=rf"{file}:2: "):
        prompts.from_file(str(file))
    file.write_bytes(b"\xff")
    with pytest.raises(OptionError, match="not UTF-8"):
        prompts.from_file(str(file))


SHOTS = [
    {"id": f"s{number}", "cluster": f"c{number // 2}", "text": f"text {number}"}
    for number in range(10)
]


def test_shots_are_never_the_record_nor_of_its_cluster():
    pick = prompts.shot_picker(SHOTS, 3, seed=1)
    for number, record in enumerate(SHOTS):
        drawn = [shot["id"] for shot in pick(record)]
        assert len(set(drawn)) == 3 and drawn == sorted(drawn)
        assert not {f"s{number}", f"s{number ^ 1}"} & set(drawn)  # 4 and 5 are of one cluster
    for seed in range(20):
        pick = prompts.shot_picker(SHOTS, 9, seed=seed)
        assert "s3" not in [
            shot["id"] for shot in pick({"id": "x", "text": "text 3"})
        ]  # it would tell the answer
        assert "s3" not in [
            shot["id"] for shot in pick({"id": "s3", "text": "renamed", "variant": "names:1"})
        ]
    with pytest.raises(RecordError, match=r'9 needed, 10 given, 2 of these .*\(id "s3"\)'):
        prompts.shot_picker(SHOTS, 9)(SHOTS[3])


def test_shots_depend_on_seed_and_id_alone_and_are_drawn_evenly():
    pick, other = prompts.shot_picker(SHOTS, 2), prompts.shot_picker(SHOTS, 2, seed=1)
    records = [{"id": number, "text": "?"} for number in range(500)]
    drawn = [[shot["id"] for shot in pick(record)] for record in records]
    assert drawn == [[shot["id"] for shot in pick(record)] for record in reversed(records)][::-1]
    assert drawn != [[shot["id"] for shot in other(record)] for record in records]
    counts = Counter(one for both in drawn for one in both)
    assert all(
        60 < counts[shot["id"]] < 140 for shot in SHOTS
    )  # 100 on average, standard deviation 9
