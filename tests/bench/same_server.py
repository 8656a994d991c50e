"""A small server of the OpenAI API for the runs of same.py: what it answers depends on the question alone.

As a program it reads a batch file of requests, and writes the file of answers.
"""

import contextlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """One question; the name of the model says how it is answered.

    judge: with a number; busy: the second time, after 429; refusing: with 400; empty: with
    nothing; otherwise with the last words of the prompt in capitals, numbered where several are wanted.
    """

    asked: Counter[bytes] = Counter()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(data)
        self.asked[data] += 1
        if body["model"] == "refusing":
            self.answer(400, {"error": {"message": "this model refuses"}})
        elif body["model"] == "busy" and self.asked[data] % 2:
            self.answer(429, {"error": {"message": "busy"}})
        else:
            self.answer(200, completion(body))

    def answer(self, status: int, value: dict) -> None:
        """Send a value as JSON."""
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in (
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(data))),
            ("Retry-After", "0"),
        ):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


def completion(body: dict) -> dict:
    """Return the answer to a request, as servers give it; its tokens are words."""
    prompt = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
    answer = " ".join(prompt.split()[-6:]).upper()
    if body["model"] == "judge":
        answer = f"Score: {sum(prompt.encode()) % 101}"
    elif body["model"] == "empty":
        answer = ""
    choices = []
    for index in range(body.get("n", 1)):
        text = f"{answer} {index}" if index else answer
        said = (
            {"text": text}
            if "prompt" in body
            else {"message": {"role": "assistant", "content": text}}
        )
        choices.append({"index": index, "finish_reason": "stop", **said})
    usage = {
        "prompt_tokens": len(prompt.split()),
        "completion_tokens": len(answer.split()) * len(choices),
    }
    return {"object": "completion", "choices": choices, "usage": usage}


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Serve for the length of a block; yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"status_code": 200, "body": completion(request["body"])}
        print(json.dumps({"custom_id": request["custom_id"], "response": answer}))
