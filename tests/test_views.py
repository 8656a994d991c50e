"""dt-generate with prompts, per turn, and with a server that misbehaves."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import environment
from flat_options import generate
from misbehaving_server import Handler, completion, said, serving, shout

import dialtools
from dialtools.inference import prompts, views
from dialtools.inference.prompts import shot_picker as picker
from dialtools.system.errors import OptionError, RecordError

RECORDS = [
    {"id": number, "lang": "en", "dialogue": f"Ann: Hi {number}\nBob: \nAnn: Bye\tnow"}
    for number in range(5)
]


def echo(records: list[dict], *, mark: str = "") -> list[dict]:
    """Write what was read."""
    return [
        {
            "prediction": record.get("prompt", "no prompt") + mark,
            "input_tokens": 2,
            "output_tokens": 3,
            "truncated": record.get("number") == 2,
        }
        for record in records
    ]


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    def write(text: str, name: str = "prompt.txt") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_prompt_is_what_is_read(file: Callable):
    source = file("About {{ id }}:\n{{ dialogue[0] .text }}\n")
    [made] = generate(RECORDS[:1], generator=echo, prompt=source)
    assert made["prediction"] == "About 0:\nHi 0"
    [entry] = made["history"]
    assert entry["prompt"] == prompts.digest(None, "About 0:\nHi 0")
    other = next(generate(RECORDS[:1], generator=echo, prompt=file("{{ id }}", "other")))
    assert (
        entry["signature"] != other["history"][0]["signature"] and "|prompt:" in entry["signature"]
    )
    assert "prompt" not in next(generate(RECORDS[:1], generator=echo))["history"][0]


def test_a_key_of_the_records_own_is_no_prompt(file: Callable):
    record = {"id": 1, "text": "Hi", "prompt": "mine", "system_prompt": "too"}
    assert next(generate([record], generator=echo))["prediction"] == "no prompt"
    [made] = generate([record], generator=echo, prompt=file("{{ record.text }}"))
    assert (made["prediction"], made["prompt"]) == ("Hi", "mine")


def test_keys_of_the_records_own_make_no_turn_of_it():
    """The numbers of turns that a corpus has are no sign of --each turn: lead is the first utterance."""
    record = {"id": 1, "dialogue": "Ann: Hi\nBob: Ho", "turn": 3, "number": 1}
    [made] = generate([record], generator="lead")
    assert (made["prediction"], made["turn"], made["number"]) == ("Ann: Hi", 3, 1)
    [made] = generate([record], generator=echo, each="turn")
    assert (made["prediction"], made["turn"], made["number"]) == ("Ann: Hi\nBob: Ho", 3, 1)


def test_shots_and_examples(file: Callable):
    shots = file(
        "".join(
            json.dumps({"id": n, "term": f"t{n}", "reference": f"r{n}"}) + "\n" for n in range(3)
        ),
        "s",
    )
    source = file(
        "{% for shot in shots %}\n{{ shot.term }}={{ shot.reference | best }};\n{% endfor %}\n"
        "{{ examples | join('/') }} {{ term }}"
    )
    [made] = generate(
        [{"id": 1, "term": "t1", "uses": ["a", "b"]}],
        generator=echo,
        prompt=source,
        shots=shots,
        shot_count=2,
        examples="uses",
    )
    assert made["prediction"] == "t0=r0;\nt2=r2;\na/b t1"
    with pytest.raises(RecordError, match='no "uses"'):
        list(generate([{"id": 1, "term": "t1"}], generator=echo, prompt=source, examples="uses"))
    for uses in (7, ["a", 7]):
        with pytest.raises(RecordError, match='"uses" is a string or a list of .*7'):
            list(
                generate([{"id": 1, "uses": uses}], generator=echo, prompt=source, examples="uses")
            )
    with pytest.raises(
        RecordError, match="too few shots for this record: 3 needed, 3 given, .*id 1"
    ):
        list(generate([{"id": 1}], generator=echo, prompt=source, shots=shots, shot_count=3))


def test_the_seed_of_shots_is_told(file: Callable):
    """It decides what is asked where nothing is sampled, too: --resume went on with other shots."""
    shots = file("".join(json.dumps({"id": n, "text": f"t{n}"}) + "\n" for n in range(9)), "s")
    asked = {
        "generator": echo,
        "prompt": file("{{ shots[0].text }}"),
        "shots": shots,
        "shot_count": 1,
    }
    one, other = [next(generate([{"id": "a"}], **asked, seed=seed)) for seed in (0, 1)]
    assert one["prediction"] != other["prediction"]
    assert [made["history"][0]["signature"].split("|")[-2] for made in (one, other)] == [
        "shot_seed:0",
        "shot_seed:1",
    ]


def test_what_reads_the_same_is_no_shot():
    """As Ann: Hi does with another id, written as a string or as turns; of another question it is one."""
    turns = [{"speaker": "Ann", "text": "Hi"}]
    pick = picker(
        [
            {"id": 1, "dialogue": turns},
            {"id": 2, "dialogue": "Ann: Hi", "context": "Who?"},
            {"id": 3, "dialogue": "Bob: Hi"},
            {"id": 4, "context": "Who?"},
        ],
        2,
    )
    assert {
        shot["id"]
        for id in range(9, 30)
        for shot in pick({"id": id, "dialogue": "Ann: Hi", "context": "Who?"})
    } == {1, 3, 4}
    assert {shot["id"] for id in range(9, 30) for shot in pick({"id": id, "dialogue": turns})} == {
        2,
        3,
        4,
    }
    assert {shot["id"] for id in range(9, 30) for shot in pick({"id": id, "context": "Who?"})} == {
        1,
        2,
        3,
        4,
    }


@pytest.mark.parametrize(
    "given, message",
    [
        ({"shots": "x", "shot_count": 1}, "are for .*prompt"),
        ({"system_prompt": "P"}, "are for .*prompt"),
        ({"prompt": "P", "shot_count": 1}, "belong together"),
        ({"prompt": "P", "extract": "("}, "regular expression"),
        ({"prompt": "P", "generator": "lead"}, "reads no prompt"),
        ({"each": "turn", "generator": "lead"}, "no prompt"),
    ],
)
def test_options_that_do_not_go_together(file: Callable, given: dict, message: str):
    given = {name: file("{{ id }}") if value == "P" else value for name, value in given.items()}
    with pytest.raises(OptionError, match=message):
        list(generate(RECORDS, **{"generator": echo, **given}))


@pytest.mark.parametrize(
    "options",
    [
        "--prompt <(echo Say {{ id }})",
        "--prompt <(echo Say {{ id }}) --jobs 2",
        "--prompt - < prompt.txt",
        "--prompt prompt.txt --system-prompt <(echo Be kind)",
        "--prompt prompt.txt --shot-count 1 --shots <(cat in)",
    ],
)
def test_a_prompt_from_a_pipe_is_refused(file: Callable, shell, options: str):
    """Nothing was left of it for the signature, which was that of an empty one, nor for a second process."""
    file("Say {{ id }}")
    file("".join(json.dumps(record) + "\n" for record in RECORDS), "in")
    result = shell(f"dt-generate -g echo {options} in")
    assert (result.status, result.out) == (2, "") and "is a pipe" in result.err


def test_each_turn(file: Callable):
    [made] = generate(RECORDS[:1], generator=echo, each="turn")
    assert (
        made["prediction"] == "Ann: Hi 0\nBob: \nAnn: Bye now"
    )  # one line each; a turn without a text stays so
    entry = made["history"][0]
    assert (entry["input_tokens"], entry["output_tokens"], entry["truncated"]) == (4, 6, True)
    source = file("{{ turn.speaker }} {{ number }} after {{ dialogue[:number] | length }}")
    [made] = generate(RECORDS[:1], generator=echo, each="turn", prompt=source)
    assert made["prediction"] == "Ann: Ann 0 after 0\nBob: \nAnn: Ann 2 after 2"
    with pytest.raises(RecordError, match="no turn with a text"):
        list(generate([{"id": 1, "dialogue": "Ann: \nBob: "}], generator=echo, each="turn"))


def test_several_outputs_of_each_turn():
    def two(records: list[dict]) -> list[dict]:
        return [
            {"prediction": [record["prompt"] + end for end in "12"], "output_tokens": [1, 2]}
            for record in records
        ]

    [made] = generate(RECORDS[:1], generator=two, each="turn", extract=r"(\w+\W\w+)")
    assert made["prediction"] == [
        "Ann: Hi 0\nBob: \nAnn: Bye now1".replace("Hi 0", "Hi 01"),
        "Ann: Hi 02\nBob: \nAnn: Bye now2",
    ]
    assert made["history"][0]["output_tokens"] == 6
    assert made["history"][0]["output"] == [["Hi 01", "Hi 02"], ["Bye\tnow1", "Bye\tnow2"]]
    [made] = generate([{"id": 1, "dialogue": "Ann: Hi"}], generator=two, each="turn")
    assert made["history"][0]["output_tokens"] == 3


def test_what_is_of_one_turn_is_not_said_of_the_record():
    def late(records: list[dict]) -> list[dict]:
        return [
            {"prediction": "a b", "output_tokens": 2, "finish": "stop", "delays": [number, number]}
            for number, _ in enumerate(records)
        ]

    [made] = generate(RECORDS[:1], generator=late, each="turn")
    assert "delays" not in made and "finish" not in made["history"][0]
    assert made["history"][0]["output_tokens"] == 4
    assert made["history"][0]["turns"] == [
        {"finish": "stop", "delays": [0, 0]},
        {"finish": "stop", "delays": [1, 1]},
    ]


def test_delays_are_those_of_the_prediction():
    [first] = generate(
        RECORDS[:1], generator=lambda records: [{"prediction": "a b", "delays": [1, 2]}]
    )
    assert first["delays"] == [1, 2]
    [made] = generate(
        [{**first, "elapsed": [3, 4], "source_length": 2}], generator=echo, overwrite=True
    )
    assert "delays" not in made and "elapsed" not in made and made["source_length"] == 2


def test_extract():
    def say(records: list[dict]) -> list[dict]:
        return [{"prediction": record["text"]} for record in records]

    def taken(text: str, extract: str) -> tuple:
        [made] = generate([{"id": 1, "text": text}], generator=say, extract=extract)
        assert made["history"][0]["output"] == text
        return made["prediction"], made["history"][0].get("counts")

    assert taken("so: {It rains.} {x}", "braces") == ("It rains.", None)
    assert taken("\n\n first \nsecond", "first-line") == ("first", None)
    assert taken("Rating: 7/10", "[0-9]+") == ("7", None)
    assert taken("no brace", "braces") == ("", {"outputs_not_extracted": 1, "empty": 1})


def test_outputs_without_an_answer_are_counted_as_outputs_and_records_without_one_as_records():
    """Of three outputs two have no braces, and the first is the one that the record is empty by."""
    several = generate(
        [{"id": 1, "text": "x"}],
        generator=lambda records: [{"prediction": ["no", "{yes}", "no"]}],
        extract="braces",
    )
    assert next(several)["history"][0]["counts"] == {"outputs_not_extracted": 2, "empty": 1}


def test_an_expression_that_looks_for_ever_is_named(monkeypatch: pytest.MonkeyPatch):
    """There are more ways to split sixty letters into ones and twos than any machine can try."""
    monkeypatch.setattr(views, "PATIENCE", 0.1)
    begin = time.monotonic()
    with pytest.raises(
        RecordError, match=r'extract="\(a\|aa\)\+\$".* takes more than 0.1 s.*\(id 7\)'
    ):
        list(generate([{"id": 7, "text": "a" * 60 + "b"}], generator="echo", extract="(a|aa)+$"))
    assert time.monotonic() - begin < 60


# With a server.


def made_by(url: str, **options) -> list[dict]:
    return list(generate(RECORDS, endpoint=url, model="org/tiny-1", **options))


def test_a_server_answers(file: Callable):
    with serving() as server:
        made = made_by(
            server.url, system_prompt=file("Be kind to {{ id }}.", "s"), prompt=file("say {{ id }}")
        )
        assert [record["prediction"] for record in made] == [f"SAY {number}" for number in range(5)]
        body = next(body for _, _, body in server.got if said(body) == "say 3")
        assert body == {
            "model": "org/tiny-1",
            "max_tokens": 128,
            "temperature": 0.0,
            "messages": [
                {"role": "system", "content": "Be kind to 3."},
                {"role": "user", "content": "say 3"},
            ],
        }
        assert made[0]["system"] == "tiny-1" and made[0]["history"][0]["output_tokens"] == 2
        assert made[0]["history"][0]["signature"].startswith(
            f"endpoint|model:org/tiny-1|endpoint:{server.url}|api:chat|max_new_tokens:128|num_return:1|prompt:"
        )
        assert made_by(server.url)[0]["prediction"] == RECORDS[0]["dialogue"].upper().strip()


def test_fields_of_requests():
    with serving() as server:
        first = made_by(
            server.url,
            sample=True,
            number=2,
            top_k=40,
            api="completions",
            seed=4,
            body='{"max_tokens": null, "stop": ["}"]}',
        )
        assert len(first[0]["prediction"]) == 2
        for path, _, body in server.got:
            assert (
                path == "/v1/completions" and body.pop("prompt") and 0 <= body.pop("seed") < 2**31
            )
            assert body == {
                "model": "org/tiny-1",
                "n": 2,
                "temperature": 1.0,
                "top_k": 40,
                "stop": ["}"],
            }
        made_by(server.url, body='{"model": "other", "prompt": "x", "api": "y"}')
        assert {server.got[-1][2][name] for name in ("model", "prompt", "api")} == {
            "other",
            "x",
            "y",
        }
    with pytest.raises(OptionError, match="JSON object"):
        made_by("http://x/v1", body="[1]")
    with pytest.raises(OptionError, match="offline=True"):
        made_by("http://x/v1", offline=True)
    with pytest.raises(OptionError, match="no option 'beams'"):
        made_by("http://x/v1", beams=4)


def test_an_output_of_a_server_ends_before_a_stop_text():
    """Also where the server lets it through."""
    with serving() as server:
        made = made_by(server.url, stop='["HI 2", "BYE"]')
        assert {tuple(body["stop"]) for _, _, body in server.got} == {("HI 2", "BYE")}
        assert [record["prediction"] for record in made[1:3]] == ["ANN: HI 1\nBOB: \nANN:", "ANN:"]
        entry = made[0]["history"][0]
        assert entry["finish"] == "stop" and '|stop:["HI 2", "BYE"]|' in entry["signature"]
        assert [record["prediction"] for record in made_by(server.url, stop="BOB")][
            0
        ] == "ANN: HI 0"
        made_by(server.url)
        assert "stop" not in server.got[-1][2]
        with pytest.raises(OptionError, match="stop must be a text, or a JSON list"):
            made_by(server.url, stop="[1]")


def test_several_outputs_of_a_server_are_drawn():
    with serving() as server:
        with pytest.raises(OptionError, match="several outputs need sampling: add .*sample=True"):
            made_by(server.url, number=2)
        assert made_by(server.url, number=2, body='{"use_beam_search": true}')[0]["prediction"][
            1
        ].endswith(" 1")
        server.reply = lambda handler, body, before: handler.give(completion(body, "one alone"))
        with pytest.raises(RecordError, match='gives 1 outputs, not 2: does it know "n"'):
            made_by(server.url, number=2, sample=True)
        server.reply = lambda handler, body, before: handler.give(completion(body))
        with pytest.raises(RecordError, match=r"gives 0 outputs, not 1 \(id"):
            made_by(server.url)


def test_what_is_alike_is_asked_once():
    records = [
        {"id": number, "lang": "en", "text": "one" if number % 2 else f"{number}"}
        for number in range(8)
    ]
    with serving() as server:
        made = list(generate(records, endpoint=server.url, model="m"))
        assert [record["prediction"] for record in made] == [
            "0",
            "ONE",
            "2",
            "ONE",
            "4",
            "ONE",
            "6",
            "ONE",
        ]
        assert len(server.got) == 5
        assert len(list(generate(records, endpoint=server.url, model="m", sample=True))) == 8
        assert len(server.got) == 5 + 8  # each id has its seed


@pytest.mark.parametrize(
    "answer",
    [
        {"usage": [1]},
        {"usage": "many"},
        {"usage": {"prompt_tokens": "3", "completion_tokens": {"a": 1}}},
        {"usage": {"prompt_tokens": float("nan"), "completion_tokens": True}},
    ],
)
def test_numbers_that_are_none_are_unknown(answer: dict):
    choice = {"message": {"content": "x\ud800y"}, "finish_reason": {}, "index": "0"}
    with serving(
        lambda handler, body, before: handler.give({"choices": [choice], **answer})
    ) as server:
        made = made_by(server.url, each="turn")[0]
    assert made["prediction"] == "Ann: x\ufffdy\nBob: \nAnn: x\ufffdy"
    assert [made["history"][0][name] for name in ("input_tokens", "output_tokens")] == [None, None]


def test_what_came_before_the_server_died_is_kept():
    def reply(handler: Handler, body: dict, before: int) -> None:
        handler.cut() if "Hi 3" in said(body) else shout(handler, body, before)

    with serving(reply) as server:
        kept = []
        with pytest.raises(RecordError, match="no answer .*id 3"):
            for record in generate(RECORDS, endpoint=server.url, model="m", retries=0):
                kept.append(record["id"])
    assert kept == [0, 1, 2]


@pytest.mark.parametrize(
    "trouble, status, message",
    [
        (lambda handler, body: handler.cut(), 3, "in.jsonl:3: no answer from"),
        (lambda handler, body: handler.give(b"<html>Log in</html>"), 3, "no JSON object but"),
        (
            lambda handler, body: handler.give(b"<html>sk-very-secret?</html>"),
            3,
            'no JSON object but "<html>…?</html>"',
        ),
        (
            lambda handler, body: handler.give({"error": {"message": "not sk-very-secret"}}),
            3,
            "not …",
        ),
        (
            lambda handler, body: handler.give(b"", 302, Location="http://x/?sk-very-secret"),
            4,
            "moved to http://x/?…:",
        ),
        (
            lambda handler, body: handler.give(
                {"error": {"message": "the key sk-very-secret is wrong"}}, 401
            ),
            4,
            "is wrong",
        ),
        (
            lambda handler, body: handler.give({"error": {"message": "no such model"}}, 404),
            4,
            "no such model",
        ),
        (
            lambda handler, body: handler.give({"error": {"message": "too long"}}, 400),
            3,
            "in.jsonl:3: the server refuses",
        ),
        (
            lambda handler, body: handler.give({"x": 1}),
            3,
            'in.jsonl:3: the server\'s answer has no list of "choices"',
        ),
    ],
)
def test_exit_status(tmp_path: Path, shell, trouble: Callable, status: int, message: str):
    def reply(handler: Handler, body: dict, before: int) -> None:
        trouble(handler, body) if "Hi 2" in said(body) else shout(handler, body, before)

    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    with serving(reply) as server:
        done = shell(
            f"dt-generate --endpoint {server.url} --model m -g endpoint:retries=0 --concurrency 1 in.jsonl",
            DIALTOOLS_API_KEY="sk-very-secret",
        )
    assert (done.status, done.out.count("\n")) == (status, 2), done.err
    assert message in done.err and done.err.count("\n") == 1
    assert "secret" not in done.err + done.out


def test_a_failure_is_kept_and_the_rest_goes_on(tmp_path: Path, shell):
    def reply(handler: Handler, body: dict, before: int) -> None:
        if "Hi 2" in said(body):
            handler.give({"error": "too long"}, 400)
        else:
            handler.give(completion(body, "yes"))

    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    with serving(reply) as server:
        done = shell(f"dt-generate --endpoint {server.url} --model m --on-error keep in.jsonl")
    made = [json.loads(line) for line in done.out.splitlines()]
    assert done.status == 1
    assert [record.get("prediction") for record in made] == ["yes", "yes", None, "yes", "yes"]
    assert len(server.got) == 5  # nothing is asked again
    assert made[2]["errors"] == [
        {"by": "dt-generate", "reason": 'the server refuses: 400 "too long"'}
    ]


def test_the_key_of_examples_keeps_its_name(tmp_path: Path, shell):
    (tmp_path / "p").write_text("{{ examples[0] }}: {{ term }}")
    record = {"id": 1, "lang": "en", "term": "bond", "uses": ["A bond pays."]}
    dialtools.write([record], tmp_path / "in.jsonl")
    with serving() as server:
        done = shell(
            f"dt-generate --endpoint {server.url} --model m --prompt p --examples uses in.jsonl"
        )
    made = json.loads(done.out)
    assert (made["prediction"], made["uses"]) == ("A BOND PAYS.: BOND", ["A bond pays."])


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_answers_are_let_go_while_the_input_pauses(tmp_path: Path, on_error: str):
    lines = [json.dumps(record) + "\n" for record in RECORDS]
    with serving() as server:
        started = subprocess.Popen(
            ["dt-generate", "--endpoint", server.url, "--model", "m", "--on-error", on_error],
            cwd=tmp_path,
            env=environment(tmp_path),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert started.stdin and started.stdout
        started.stdin.writelines(lines[:3])
        started.stdin.flush()
        assert [json.loads(started.stdout.readline())["id"] for _ in range(3)] == [0, 1, 2]
        rest, _ = started.communicate("".join(lines[3:]), timeout=60)
    assert started.returncode == 0 and rest.count("\n") == 2


def test_progress_tells_of_tokens(tmp_path: Path, shell):
    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    with serving() as server:
        done = shell(
            f"dt-generate --endpoint {server.url} --model m --progress in.jsonl",
            TQDM_MININTERVAL="0",
        )
    assert "tokens/s" in done.err and "records/s" in done.err and "/5" in done.err
