"""dt-generate against the openai client with as many threads, on a server that fails; and kill -9.

    python tests/bench/server.py [--answers 192] [--concurrency 16] [--failures 0.2] [--openai PYTHON]

The server answers after 0.4 to 0.8 s; every fifth request fails instead: with 500, with 429 and
Retry-After: 1, or with a connection that is cut.  Which ones is a function of the prompt and of how
often it came, so that both clients meet the same failures.  The client is `openai` where the
interpreter has it, else urllib3 in threads that wait as `openai` does.  A throughput is answers a
second from the first request to the last answer, as the server sees it.

Then dt-generate is killed with SIGKILL and started again, three times over, with --cache, with
--resume and with both: what is lacking at the end is lost, and what the server answered twice was
paid for twice, but for what was under way at a kill, or sent less than 50 ms before.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[2]
KILLS, WRITING = 3, 0.05
CLIENT = """
import random, sys, time
from concurrent.futures import ThreadPoolExecutor
url, threads, prompts = sys.argv[1], int(sys.argv[2]), sys.stdin.read().splitlines()
try:
    import openai
    client = openai.OpenAI(base_url=url, api_key="x", max_retries=9)
    def ask(prompt):
        return client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": prompt}], max_tokens=128, temperature=0
        ).choices[0].message.content
except ModuleNotFoundError:
    import urllib3
    pool = urllib3.PoolManager(maxsize=threads, retries=False)
    def ask(prompt):
        body = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
        for number in range(10):
            wait = min(0.5 * 2**number, 8) * random.uniform(0.75, 1)
            try:
                answer = pool.request("POST", url + "/chat/completions", json=body, timeout=60)
                if answer.status == 200:
                    return answer.json()["choices"][0]["message"]["content"]
                wait = float(answer.headers.get("Retry-After", wait))
            except urllib3.exceptions.HTTPError:
                pass
            time.sleep(wait)
    print("urllib3", file=sys.stderr)
with ThreadPoolExecutor(threads) as threads:
    assert list(threads.map(ask, prompts)) == [prompt.upper() for prompt in prompts]
"""


class Server(ThreadingHTTPServer):
    """Counts what it was asked and has answered; `under_way` are prompts without an answer yet."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, failures: float):
        super().__init__(("127.0.0.1", 0), Handler)
        self.failures, self.lock = failures, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.asked, self.answered, self.under_way = (Counter[str]() for _ in range(3))
        self.begin, self.end = float("inf"), 0.0
        self.latest: list[tuple[float, str]] = []  # answers, and when

    def handle_error(self, request, client_address) -> None:
        """Say nothing of clients that were killed."""


class Handler(BaseHTTPRequestHandler):
    """A connection, which is kept."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.begin = min(self.server.begin, time.monotonic())
            number = self.server.asked[prompt]
            self.server.asked[prompt] += 1
            self.server.under_way[prompt] += 1
        draw, kind, pause = (
            value / 256 for value in hashlib.sha256(f"{prompt} {number}".encode()).digest()[:3]
        )
        time.sleep(0.4 + 0.4 * pause)
        try:
            if draw >= self.server.failures:
                self.answer(prompt)
            elif kind < 0.25:
                self.close_connection = True
            else:
                self.give(429 if kind < 0.5 else 500, {"error": "busy"})
        finally:
            with self.server.lock:
                self.server.under_way[prompt] -= 1

    def answer(self, prompt: str) -> None:
        choice = {"message": {"content": prompt.upper()}, "finish_reason": "stop", "index": 0}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        with self.server.lock:
            self.server.answered[prompt] += 1
            self.server.end = time.monotonic()
            self.server.latest.append((self.server.end, prompt))
        self.give(200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
                  | {"choices": [choice], "usage": usage})  # fmt: skip

    def give(self, status: int, value: dict) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


@contextmanager
def serving(failures: float) -> Iterator[Server]:
    """Serve for the length of a block."""
    server = Server(failures)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def throughput(server: Server, command: list[str], stdin: str) -> float:
    """Return the answers a second that a client gets."""
    server.forget()
    subprocess.run(command, input=stdin, text=True, stdout=subprocess.DEVNULL, check=True)
    assert set(server.answered.values()) == {1}, "an answer lacks, or was paid for twice"
    return len(server.answered) / (server.end - server.begin)


def killed(server: Server, command: list[str], seconds: float) -> Counter[str]:
    """Kill a command after so many seconds; return what was under way."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    with server.lock:  # so that no answer begins in between
        process.send_signal(signal.SIGKILL)
        under_way = +server.under_way
        begin = time.monotonic() - WRITING
        under_way |= Counter(prompt for when, prompt in server.latest if when > begin)
    process.wait()
    return under_way


def kills(server: Server, command: list[str], output: Path, seconds: float) -> tuple[int, int, int]:
    """Return how many records were lost, paid for twice, and under way at kills."""
    server.forget()
    under_way = Counter[str]()
    for _ in range(KILLS):
        under_way += killed(server, command, seconds)
        time.sleep(1)  # the server answers what it was asked, though nobody hears it
    subprocess.run(command, check=True)
    records = [json.loads(line) for line in output.read_text().splitlines()]
    right = {record["id"] for record in records if record["prediction"] == record["text"].upper()}
    twice = {prompt: number - 1 for prompt, number in server.answered.items() if number > 1}
    more = Counter(twice) - under_way
    return len(server.asked) - len(right), sum(more.values()), sum(twice.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=192)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--failures", type=float, default=0.2)
    parser.add_argument("--openai", default=sys.executable, help="a Python that has openai")
    asked = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    prompts = [f"prompt {number}" for number in range(asked.answers)]
    with serving(asked.failures) as server, tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        lines = [{"id": n, "lang": "en", "text": prompt} for n, prompt in enumerate(prompts)]
        (home / "in").write_text("".join(json.dumps(line) + "\n" for line in lines))
        ours = [sys.executable, str(ROOT / "bin/dt-generate"), "--endpoint", server.url]
        ours += ["--model", "m", "--concurrency", str(asked.concurrency), "-q", str(home / "in")]
        ours += ["-g", "endpoint:retries=9"]
        client = [asked.openai, "-c", CLIENT, server.url, str(asked.concurrency)]
        theirs = throughput(server, client, "\n".join(prompts))
        mine = throughput(server, ours, "")
        print(f"client      {theirs:6.2f} answers/s")
        print(f"dt-generate {mine:6.2f} answers/s, ratio {mine / theirs:.2f}")
        seconds = asked.answers / mine / (KILLS + 1)
        for name, options in {
            "--cache": ["--cache", "CACHE"],
            "--resume": ["--resume"],
            "--cache --resume": ["--cache", "CACHE", "--resume"],
        }.items():
            output, cache = home / f"{name}.jsonl", str(home / f"{name}.cache")
            options = [cache if word == "CACHE" else word for word in options]
            lost, twice, under_way = kills(
                server, [*ours, "-o", str(output), *options], output, seconds
            )
            print(
                f"{KILLS} × kill -9, {name}: {lost} lost, {twice} paid for twice, "
                f"{under_way} under way at a kill"
            )


if __name__ == "__main__":
    main()
