"""The client of servers that speak the OpenAI API, against one that misbehaves on purpose."""

import json
import socket
import threading
import time

import pytest
from misbehaving_server import Handler, completion, reversed_order, said, serving, shout

from dialtools.inference import completions, servers, window
from dialtools.models.decoding import Serving
from dialtools.system.errors import MissingError, OptionError, RecordError

RECORDS = [{"id": f"d{number}"} for number in range(6)]
QUICK = {"timeout": 60}  # shorter only where a server hangs


def asked(url: str, count: int = 6, pause: float = 0.01, first: int = 1, **options) -> list[str]:
    """Return the texts that a server answers to "prompt 0", "prompt 1", …"""
    how = Serving(**{**QUICK, **options})
    client = servers.Client(completions.address(url, "chat"), how, pause=pause, first=first)
    requests = [
        (None, [(record, completions.body(f"prompt {number}", None, "m", "chat", {}))])
        for number, record in enumerate(RECORDS[:count])
    ]
    found = window.in_order(
        lambda pair: completions.read(client.answer(*pair), pair[0]),
        requests,
        how.concurrency,
        lambda pair: completions.request_name(pair[1]),
        end=client.over.set,
    )
    return [output["prediction"] for _, [output] in found]


EXPECTED = [f"PROMPT {number}" for number in range(6)]


@pytest.mark.parametrize("concurrency", [1, 3, 20])
def test_answers_in_the_order_of_the_requests(concurrency: int):
    with serving() as server:
        assert asked(server.url, concurrency=concurrency) == EXPECTED
        assert {path for path, _, _ in server.got} == {"/v1/chat/completions"}


def test_answers_that_come_in_reverse():
    with serving(reversed_order(6)) as server:
        assert asked(server.url, concurrency=6) == EXPECTED


def test_requests_are_under_way_at_once():
    all_six = threading.Barrier(6)

    def together(handler: Handler, body: dict, before: int) -> None:
        all_six.wait(timeout=60)  # which ends in an error where they come one after the other
        shout(handler, body, before)

    with serving(together) as server:
        assert asked(server.url, concurrency=6) == EXPECTED


@pytest.mark.parametrize(
    "trouble, timeout",
    [
        (
            lambda handler, body: handler.give(
                {"error": {"message": "slow down"}}, 429, Retry_After="0"
            ),
            60,
        ),
        (lambda handler, body: handler.give(b"<html>Bad gateway</html>", 502, "text/html"), 60),
        (lambda handler, body: handler.give({"error": "no memory"}, 500), 60),
        (lambda handler, body: handler.give(b"[" * 9000, 500), 60),
        (lambda handler, body: handler.cut(), 60),
        (lambda handler, body: handler.cut(completion(body, said(body))), 60),
        (lambda handler, body: handler.give(b""), 60),
        (lambda handler, body: handler.hang(2), 1),
        (lambda handler, body: handler.drip(3), 1),
        (lambda handler, body: handler.give(b"<html>Back soon</html>", 200, "text/html"), 60),
    ],
)
def test_what_passes_is_asked_again(trouble, timeout: float):
    def reply(handler: Handler, body: dict, before: int) -> None:
        if before < 2 and said(body) in ("prompt 1", "prompt 4"):
            trouble(handler, body)
        else:
            shout(handler, body, before)

    with serving(reply) as server:
        assert asked(server.url, timeout=timeout, concurrency=1) == EXPECTED
        assert (
            len(server.got) == 6 + 4 or timeout == 1
        )  # when a busy machine may be late with an answer as well


@pytest.mark.parametrize(
    "trouble, error, message",
    [
        (
            lambda handler, body: handler.give({"error": {"message": "slow\ndown"}}, 429),
            RecordError,
            r'no answer from .* in 3 attempts: 429 "slow down" \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give(b"", 503),
            RecordError,
            '3 attempts: 503 "Service Unavailable"',
        ),
        (lambda handler, body: handler.cut(completion(body, "x")), RecordError, "breaks off"),
        (
            lambda handler, body: handler.cut(),
            RecordError,
            r'closed connection without response \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give(
                b"<!doctype html><title>Hi</title>", 200, "text/html"
            ),
            RecordError,
            r'in 3 attempts: no JSON object but "<!doctype html.* \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give(b'{"choices":' + b"[" * 99_999),
            RecordError,
            "3 attempts: no JSON object",
        ),
        (lambda handler, body: handler.give([1]), RecordError, r'3 att.* object but "\[1\]"'),
        (
            lambda handler, body: handler.give({"id": 7}),
            RecordError,
            r'no list of "choices" but {"id": 7} \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give({"choices": [], "x": 1}),
            RecordError,
            "0 outputs, not 1",
        ),
        (
            lambda handler, body: handler.give({"choices": [{"index": 0}]}),
            RecordError,
            "has no text",
        ),
        (
            lambda handler, body: handler.give({"choices": [{"message": {"content": 7}}]}),
            RecordError,
            "has no text",
        ),
        (
            lambda handler, body: handler.give({"choices": None, "error": "loading"}),
            RecordError,
            'but "loading"',
        ),
        (
            lambda handler, body: handler.give({"error": {"message": "too long"}}, 400),
            RecordError,
            r'the server refuses: 400 "too long" \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give(
                {"error": {"message": "no", "code": "content_filter"}}, 400
            ),
            completions.Filtered,
            r'content filter refuses: 400 "no" \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give(completion(body, "x", reason="content_filter")),
            completions.Filtered,
            r'content filter withholds the answer \(id "d2"\)',
        ),
        (
            lambda handler, body: handler.give({"error": {"message": "no key"}}, 401),
            MissingError,
            "DIALTOOLS_API_KEY",
        ),
        (
            lambda handler, body: handler.give({"detail": "Not Found"}, 404),
            MissingError,
            "Not Found.*model's name",
        ),
        (
            lambda handler, body: handler.give(b"", 307, Location="http://elsewhere/"),
            MissingError,
            "moved to http://elsewhere/",
        ),
    ],
)
def test_what_does_not_pass_names_the_record(
    trouble, error: type[Exception], message: str, timeout: float = 60
):
    def reply(handler: Handler, body: dict, before: int) -> None:
        trouble(handler, body) if said(body) == "prompt 2" else shout(handler, body, before)

    with serving(reply) as server:
        with pytest.raises(error, match=message) as caught:
            asked(server.url, retries=2, timeout=timeout, concurrency=1)
        assert "\n" not in str(caught.value)
        assert sum(said(body) == "prompt 2" for _, _, body in server.got) == (
            3 if "3 att" in str(caught.value) else 1
        )


@pytest.mark.parametrize(
    "trouble, message",
    [
        (lambda handler, body: handler.hang(), r'3 attempts: timed out \(id "d2"\)'),
        (lambda handler, body: handler.drip(), r'3 attempts: not complete after 1 s \(id "d2"\)'),
    ],
)
def test_what_never_ends_names_the_record(trouble, message: str):
    test_what_does_not_pass_names_the_record(trouble, RecordError, message, timeout=1)


def test_a_time_without_end_is_an_error(shell):
    """The system's clock knows none."""
    made = shell(
        """echo '{"id":1,"lang":"en","text":"a"}' |
        dt-generate --endpoint http://127.0.0.1:9/v1 --model m --timeout inf"""
    )
    assert made.status == 2 and "timeout is at most 1000000.0, not inf" in made.err


def test_nobody_listens():
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))  # so that nobody else can, in the meantime
        with pytest.raises(MissingError, match='2 attempts: .*refused.*"d0"'):
            asked(f"http://127.0.0.1:{mute.getsockname()[1]}/v1", retries=1)


def test_replicas_share_the_requests_and_one_that_is_lost_is_left_out(capsys):
    """With two requests at a time each server has one; the third server listens no more."""
    with serving() as one, serving() as other, socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{mute.getsockname()[1]}/v1"
        assert asked(f"{dead} {one.url} {other.url}", concurrency=2) == EXPECTED
        assert len(one.got) + len(other.got) == 6 and min(len(one.got), len(other.got)) > 0
    told = capsys.readouterr().err.splitlines()
    assert (
        len(told) == 1
        and dead in told[0]
        and "left out for 60 s; servers that remain: 2" in told[0]
    )
    with pytest.raises(OptionError, match="ftp"):
        servers.check_address("http://a/v1 ftp://b")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list of the pauses to come, none of which is waited for."""
    pauses: list[float] = []

    class Hasty(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            pauses.append(timeout or 0)
            return self.is_set()

    monkeypatch.setattr(servers, "Event", Hasty)
    monkeypatch.setattr(servers.random, "uniform", lambda least, most: least)
    return pauses


def test_pauses_get_longer(slept: list[float]):
    with serving(lambda handler, body, before: handler.give({}, 429)) as server:
        with pytest.raises(MissingError, match="in 8 attempts: 429"):
            asked(server.url, 1, retries=7, pause=1)
    assert slept == [1, 2, 4, 8, 16, 32, 60]


@pytest.mark.parametrize("status", [429, 503])
def test_who_says_until_when_is_waited_for_and_no_retry_is_used_up(slept: list[float], status: int):
    def reply(handler: Handler, body: dict, before: int) -> None:
        if before < 9:
            handler.give({}, status, Retry_After="7")
        else:
            shout(handler, body, before)

    with serving(reply) as server:
        assert asked(server.url, 1, retries=0, patience=63) == EXPECTED[:1]
    assert slept == [7] * 9
    with serving(reply) as server:
        with pytest.raises(MissingError, match=f"within --patience 62: {status}"):
            asked(server.url, 1, retries=0, patience=62)
    assert slept[9:] == [7] * 8


def test_a_rate_is_kept():
    times: list[float] = []

    def reply(handler: Handler, body: dict, before: int) -> None:
        times.append(time.monotonic())
        shout(handler, body, before)

    with serving(reply) as server:
        assert asked(server.url, rate="600/min", concurrency=6) == EXPECTED
    assert max(times) - min(times) > 0.4  # 0.5 s after the first, but for what the machine is late
    for rate in ("30", "0/s", "5/day", "-1/s"):
        with pytest.raises(OptionError, match="rate is N/s, N/min or N/h"):
            servers.interval(rate)


@pytest.mark.parametrize(
    "header, pause",
    [
        ("7.5", 7.5),
        ("Thu, 01 Jan 1970 00:00:30 GMT", 30),
        ("Sun, 09 Sep 2001 01:46:40 GMT", None),
        ("inf", None),
        ("0", 1),
        ("", 1),
        ("-3", 1),
        ("nan", 1),
        ("soon", 1),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 1),
        ("Thu, 01 Jan 1970 00:00:00 +" + "9" * 20, 1),
    ],
)
def test_what_a_server_asks_for_is_a_number_or_a_date(
    monkeypatch: pytest.MonkeyPatch, slept: list[float], header: str, pause: float | None
):
    monkeypatch.setattr(servers.time, "time", lambda: 0.0)  # the first second of 1970

    def reply(handler: Handler, body: dict, before: int) -> None:
        shout(handler, body, before) if before else handler.give({}, 503, Retry_After=header)

    with serving(reply) as server:
        if pause:
            assert asked(server.url, 1, retries=1, pause=1) == EXPECTED[:1]
        else:
            with pytest.raises(MissingError, match="within --patience 600: 503"):
                asked(server.url, 1, retries=1, pause=1)
    assert slept == ([pause] if pause else [])


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch):
    def refuse(handler: Handler, body: dict, before: int) -> None:
        handler.give({"error": {"message": f"bad key: {handler.headers['Authorization']}"}}, 403)

    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    monkeypatch.delenv("DIALTOOLS_API_KEY", raising=False)
    with serving() as server:
        asked(server.url, 1)
        assert "Authorization" not in server.got[0][1]  # a key of OpenAI's is for OpenAI
        monkeypatch.setenv("DIALTOOLS_API_KEY", "sk-secret\n")
        asked(server.url, 1)
        assert server.got[1][1]["Authorization"] == "Bearer sk-secret"
    with serving(refuse) as server:
        with pytest.raises(MissingError, match="bad key: Bearer …") as caught:
            asked(server.url, 1)
        assert "secret" not in str(caught.value)
    monkeypatch.setenv("DIALTOOLS_API_KEY", "sk-sé\ncret")
    with pytest.raises(OptionError) as told:
        asked("http://127.0.0.1:9/v1", 1)
    assert "sk-" not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://x/v1",
        "http://",
        "http://me:secret@host/v1",
        "",
        "http://h/v1?k=1",
        "http://h:99999/v1",
        "http://[::1/v1",
    ],
)
def test_addresses_that_are_refused(url: str):
    with pytest.raises(OptionError, match="an endpoint"):
        servers.check_address(url)


def test_bodies_of_both_apis():
    with serving() as server:
        body = completions.body("hi there", "Be kind.", "m", "completions", {"n": 2, "top_k": None})
        assert body == {"model": "m", "prompt": "Be kind.\n\nhi there", "n": 2}
        client = servers.Client(completions.address(server.url, "completions"), Serving(**QUICK))
        answer = client.answer({"id": 1}, body)
    assert completions.read(answer, {"id": 1}, 2) == {
        "prediction": ["BE KIND.\n\nHI THERE", "BE KIND.\n\nHI THERE 1"],
        "input_tokens": 4,
        "output_tokens": 9,
        "unfinished": False,
        "finish": ["stop", "stop"],
    }


def test_outputs_are_in_the_order_of_their_index():
    answer = completion({"messages": [{"content": "x"}]}, "first", "second", reason="length")
    answer["choices"].reverse()
    made = completions.read(json.loads(json.dumps(answer)), {}, 2)
    assert made["prediction"] == ["first", "second"] and made["unfinished"]
    answer = completion({"messages": [{"content": "x"}]}, "")
    answer["choices"][0]["message"]["content"] = None
    assert completions.read(answer, {})["prediction"] == ""


USAGES = [
    None,
    [1],
    "x",
    {"prompt_tokens": "1", "completion_tokens": None},
    {"prompt_tokens": -1, "completion_tokens": 3.5},
    {"prompt_tokens": True, "completion_tokens": 10**400},
]
SPOILED = {  # where an answer has it, and what it may be; None stands for null, and "" for nothing
    "usage": USAGES,
    "error": [None, {}],
    "id": [None, 7],
    "created": ["now"],
    "choices.0.index": [None, "0"],
    "choices.0.finish_reason": [None, 1, ["length"], {}],
    "choices.0.logprobs": [None, [[]]],
    "choices.0.message.role": [None, 5],
    "choices.0.message.tool_calls": [None, {}],
}


def test_optional_fields_may_lack_or_be_anything(shell):
    """A record for each field without it, and for each value that it may have; with a progress bar, which counts tokens."""
    spoiled = [(path, *value) for path, values in SPOILED.items() for value in [(), *zip(values)]]

    def reply(handler: Handler, body: dict, before: int) -> None:
        path, *value = spoiled[int(said(body))]
        answer = place = completion(body, "yes")
        *parents, key = path.split(".")
        for parent in parents:
            place = place[int(parent) if parent.isdecimal() else parent]
        place.pop(key, None)
        if value:
            place[key] = value[0]
        handler.give(answer)

    with serving(reply) as server:
        lines = "".join(f'{{"id":{n},"lang":"en","text":"{n}"}}\\n' for n in range(len(spoiled)))
        made = shell(
            f"printf '{lines}' | dt-generate --progress -g endpoint:retries=0 --endpoint {server.url} --model m"
        )
    records = [json.loads(line) for line in made.out.splitlines()]
    assert made.status == 0, made.err
    assert [record["prediction"] for record in records] == ["yes"] * len(spoiled)
    entries = [record["history"][-1] for record in records]
    assert [entry["output_tokens"] for entry in entries] == [
        None if path == "usage" else 1 for path, *_ in spoiled
    ]
    assert {entry["unfinished"] for entry in entries} == {False}
