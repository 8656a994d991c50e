"""A small server of the OpenAI API that answers, and misbehaves, as it is told to."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = Callable[["Handler", dict, int], None]  # handler, body, how often this body came before


def said(body: dict) -> str:
    """Return the prompt of a request."""
    return body["prompt"] if "prompt" in body else body["messages"][-1]["content"]


def completion(body: dict, *texts: str, reason: str = "stop") -> dict:
    """Return an answer as servers give it; what it counts are words."""
    made = [
        {
            "index": number,
            "finish_reason": reason,
            **(
                {"text": text}
                if "prompt" in body
                else {"message": {"role": "assistant", "content": text}}
            ),
        }
        for number, text in enumerate(texts)
    ]
    written = sum(len(text.split()) for text in texts)
    return {
        "object": "completion",
        "choices": made,
        "usage": {"prompt_tokens": len(said(body).split()), "completion_tokens": written},
    }


def shout(handler: "Handler", body: dict, before: int) -> None:
    """Answer with the prompt in capitals, numbered where several outputs are wanted."""
    texts = [said(body).upper() + (f" {n}" if n else "") for n in range(body.get("n", 1))]
    handler.give(completion(body, *texts))


class Handler(BaseHTTPRequestHandler):
    """One connection, of one request unless the server keeps it."""

    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.server.lock:  # type: ignore[attr-defined]
            self.server.connections += 1  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:  # type: ignore[attr-defined]
            before = server.seen[json.dumps(body, sort_keys=True)]  # type: ignore[attr-defined]
            server.seen[json.dumps(body, sort_keys=True)] += 1  # type: ignore[attr-defined]
            server.got.append((self.path, dict(self.headers), body))  # type: ignore[attr-defined]
        try:
            server.reply(self, body, before)  # type: ignore[attr-defined]
        except ConnectionError:
            pass  # whoever asked has gone

    def give(
        self, value: object, status: int = 200, kind: str = "application/json", **headers: str
    ) -> None:
        """Answer with JSON, or with bytes as they are."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            **headers,
        }.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def hang(self, seconds: float = 60) -> None:
        """Say nothing until the server ends."""
        self.server.ended.wait(seconds)  # type: ignore[attr-defined]

    def cut(self, value: object = None) -> None:
        """Break off after half of an answer, or before the first byte."""
        if value is not None:
            data = json.dumps(value).encode()
            self.wfile.write(
                b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data)
                + data[: len(data) // 2]
            )
        self.close_connection = True

    def drip(self, seconds: float = 60) -> None:
        """Send a space now and then."""
        self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        while not self.server.ended.wait(0.05) and (seconds := seconds - 0.05) > 0:  # type: ignore[attr-defined]
            self.wfile.write(b" ")

    def log_message(self, format: str, *given) -> None:
        """Say nothing."""


@contextmanager
def serving(reply: Reply = shout, keeps: bool = False) -> Iterator[ThreadingHTTPServer]:
    """Serve for the length of a block; server.url is the address, server.got what was asked, .reply may be changed.

    keeps: keep a connection for further requests; .connections counts them.
    """
    handler = type("Handler", (Handler,), {"protocol_version": "HTTP/1.1" if keeps else "HTTP/1.0"})
    server: ThreadingHTTPServer = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads, server.connections = True, 0  # type: ignore[attr-defined]
    server.reply, server.got, server.seen = reply, [], Counter()  # type: ignore[attr-defined]
    server.lock, server.ended = threading.Lock(), threading.Event()  # type: ignore[attr-defined]
    server.url = f"http://127.0.0.1:{server.server_port}/v1"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
        thread.join()


def reversed_order(size: int) -> Reply:
    """Return what waits for `size` requests, then answers the last first."""
    waiting: list[str] = []
    turn, full = threading.Condition(), threading.Event()

    def reply(handler: Handler, body: dict, before: int) -> None:
        with turn:
            waiting.append(said(body))
            if len(waiting) == size:
                full.set()
            turn.notify_all()
            turn.wait_for(lambda: full.is_set() and waiting[-1] == said(body), 60)
            shout(handler, body, before)
            waiting.pop()
            turn.notify_all()

    return reply
