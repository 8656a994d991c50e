"""Batch files of the OpenAI API: requests written, answers read in any order."""

import gzip
import json
import random
from pathlib import Path

import pytest
from flat_options import generate
from misbehaving_server import completion, said, serving

from dialtools.inference import completions
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.stable_hash import Seen

RECORDS = [
    {"id": number, "lang": "en", "text": text}
    for number, text in enumerate(["one", "two", "one", "three"])
]
ASKED = {"endpoint": "https://api.example.org/v1", "model": "m", "sample": True, "number": 2}


def answered(requests: list[dict]) -> list[dict]:
    """Return the lines of the file of answers, as a server that answers in capitals gives them."""
    texts = [said(request["body"]).upper() for request in requests]
    return [
        {
            "id": f"r{number}",
            "custom_id": request["custom_id"],
            "error": None,
            "response": {
                "status_code": 200,
                "body": completion(request["body"], f"{text}?", f"{text}!"),
            },
        }
        for number, (request, text) in enumerate(zip(requests, texts, strict=True))
    ]


def write(path: Path, lines: list[dict]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_there_and_back(tmp_path: Path):
    requests = list(generate(RECORDS, requests=True, **ASKED))
    assert (
        len(requests) == 4 and len({request["custom_id"] for request in requests}) == 4
    )  # samples: each its seed
    assert {(request["method"], request["url"]) for request in requests} == {
        ("POST", "/v1/chat/completions")
    }
    lines = answered(requests)
    lines[0]["response"]["status_code"] = None
    del lines[1]["response"]["status_code"], lines[1]["error"]
    random.Random(1).shuffle(lines)
    made = list(generate(RECORDS, answers=write(tmp_path / "answers.jsonl", lines), **ASKED))
    assert [record["prediction"] for record in made] == [
        [f"{text}?", f"{text}!"] for text in ("ONE", "TWO", "ONE", "THREE")
    ]


def test_what_comes_from_a_file_is_what_comes_from_the_server(tmp_path: Path):
    with serving() as server:
        asked = {"endpoint": server.url, "model": "m"}
        plain = list(generate(RECORDS, **asked))
        requests = list(generate(RECORDS, requests=True, **asked))
        assert len(requests) == 3  # identical ones are asked once
        assert [request["body"] for request in requests] == [
            next(body for _, _, body in server.got if said(body) == text)
            for text in ("one", "two", "three")
        ]
        lines = [
            {
                "custom_id": request["custom_id"],
                "response": {
                    "status_code": 200,
                    "body": completion(request["body"], said(request["body"]).upper()),
                },
            }
            for request in requests
        ]
        assert list(generate(RECORDS, answers=write(tmp_path / "a", lines), **asked)) == plain


@pytest.mark.parametrize(
    "spoil, message",
    [
        (
            lambda lines: lines[:1] + lines[2:],
            r"no answer to this request .*same options\? \(id 1\)",
        ),
        (
            lambda lines: [
                line | {"response": line["response"] | {"status_code": 500}} for line in lines
            ],
            r'server failed: .*"choices".*\(id 0\)',
        ),
        (
            lambda lines: [
                line
                | {
                    "error": {"message": "no"},
                    "response": {"status_code": 500, "body": {"error": "busy"}},
                }
                for line in lines
            ],
            'server failed: {"message": "no"}',
        ),
        (
            lambda lines: [{"custom_id": line["custom_id"], "told": "nothing"} for line in lines],
            'failed: .*"nothing"',
        ),
        (
            lambda lines: [line | {"error": {"message": "no"}, "response": None} for line in lines],
            'server failed: .*"no"',
        ),
        (
            lambda lines: [
                line | {"response": {"status_code": 429, "body": {"error": "busy"}}}
                for line in lines
            ],
            "busy",
        ),
        (
            lambda lines: [line | {"response": {"body": {"id": 1}}} for line in lines],
            'no list of "choices"',
        ),
        (lambda lines: [line | {"custom_id": [1]} for line in lines], "no answer to this request"),
        (lambda lines: [line | {"response": [1]} for line in lines], "server failed"),
        (lambda lines: [[1]], "a:1: a record is a JSON object"),
    ],
)
def test_answers_that_are_none(tmp_path: Path, spoil, message: str):
    lines = answered(list(generate(RECORDS, requests=True, **ASKED)))
    with pytest.raises(RecordError, match=message):
        list(generate(RECORDS, answers=write(tmp_path / "a", spoil(lines)), **ASKED))


def test_answers_that_are_no_json_are_told_by_file_and_line(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"custom_id": "x"}\n\nnonsense\n')
    with pytest.raises(RecordError, match=r"a\.jsonl:3: not JSON"):
        list(generate(RECORDS, answers=str(path), **ASKED))


def test_a_request_is_called_by_what_is_asked_and_not_by_the_order_of_fields():
    asked = {"model": "m", "messages": [{"role": "user", "content": "one"}], "seed": 1}
    other = dict(reversed(asked.items()))
    assert (
        completions.request_name(asked)
        == completions.request_name(other)
        != completions.request_name(asked | {"seed": 2})
    )
    [request] = completions.batch_requests(
        [({}, asked), ({}, other)], "https://api.example.org/v1/x", Seen()
    )
    assert request["custom_id"] == completions.request_name(asked)


def test_a_file_of_answers_may_be_packed_and_have_empty_lines(tmp_path: Path):
    lines = answered(list(generate(RECORDS, requests=True, **ASKED)))
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(
        gzip.compress("\n\n".join(json.dumps(line) for line in lines).encode() + b"\n \n")
    )
    made = list(generate(RECORDS, answers=str(path), **ASKED))
    assert [record["prediction"][0] for record in made] == ["ONE?", "TWO?", "ONE?", "THREE?"]


def test_only_a_server_has_batch_files():
    with pytest.raises(OptionError, match="need a server"):
        list(generate(RECORDS, generator="longest", requests=True))


@pytest.mark.parametrize("what", ["skip", "keep"])
def test_requests_and_records_that_fail_are_not_mixed(shell, tmp_path: Path, what: str):
    """With them each window of records would write its questions again, and keep would put records between."""
    write(
        tmp_path / "in.jsonl", [{"id": number, "lang": "en", "text": "one"} for number in range(40)]
    )
    asked = "dt-generate --endpoint http://localhost:9/v1 --model m --requests in.jsonl"
    assert shell(asked).out.count("\n") == 1
    result = shell(f"{asked} --on-error {what}")
    assert (result.out, result.status) == ("", 2) and "not with --on-error" in result.err
