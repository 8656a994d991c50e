"""Servers of the OpenAI API (vLLM, llama.cpp, …): simultaneous requests, answers in order.

The key comes from the environment alone, DIALTOOLS_API_KEY; OPENAI_API_KEY goes to api.openai.com
only. No message shows it.
"""

import functools
import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from threading import Event, Lock
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit

from dialtools.system import terminal
from dialtools.system.errors import (
    ConnectionLost,
    DialtoolsError,
    MissingError,
    OptionError,
    RecordError,
    show,
)

LEFT_OUT = 60.0  # seconds without requests for a server that is lost, where there are others
LONGEST_PAUSE = 60.0  # seconds, even if the server asks for more
MOST = 1 << 28  # bytes of an answer
OF_OPENAI = "api.openai.com"

Request = tuple[dict, dict]  # a record, for messages, and its body


class Server(NamedTuple):
    """A server and how it is asked; see `ask`."""

    url: str
    key: str  # "" for none
    opener: urllib.request.OpenerDirector
    timeout: float
    retries: int
    pause: float


class Replicas:
    """Servers of one model: a request goes to the one with the fewest, but not to a lost one."""

    def __init__(self, servers: Sequence[Server]):
        self.servers, self.lock = servers, Lock()
        self.loads = [0] * len(servers)
        self.lost_until = [0.0] * len(servers)

    def take(self) -> int:
        """Return the place of the server for a request; `free` is to follow."""
        with self.lock:
            now, places = time.monotonic(), range(len(self.servers))
            ready = [place for place in places if self.lost_until[place] <= now] or places
            place = min(ready, key=self.loads.__getitem__)
            self.loads[place] += 1
            return place

    def free(self, place: int) -> None:
        """Note that a request has ended."""
        with self.lock:
            self.loads[place] -= 1

    def lose(self, place: int, reason: str) -> bool:
        """Leave a server out for a while, and say so; return whether another one is there."""
        with self.lock:
            now = time.monotonic()
            others_lost_until = self.lost_until[:place] + self.lost_until[place + 1 :]
            remaining = sum(until <= now for until in others_lost_until)
            if not remaining:
                return False
            is_new = self.lost_until[place] <= now
            self.lost_until[place] = now + LEFT_OUT
        if is_new:
            terminal.say(
                "endpoint",
                f"{self.servers[place].url}: {reason}: left out for "
                f"{LEFT_OUT:g} s; servers that remain: {remaining}",
            )
        return True


@functools.lru_cache(maxsize=8)  # from one batch to the next it is known which are lost
def _replicas(
    urls: tuple[str, ...], keys: tuple[str, ...], timeout: float, retries: int, pause: float
) -> Replicas:
    # the environment's proxies are used, and no redirection gets the key
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return Replicas(
        [
            Server(url, key, opener, timeout, retries, pause)
            for url, key in zip(urls, keys, strict=True)
        ]
    )


def ask(
    url: str,
    requests: Iterable[Request],
    *,
    concurrency: int = 8,
    timeout: float = 120.0,
    retries: int = 4,
    pause: float = 1.0,
    arrived: Callable[[int, dict], None] | None = None,
) -> Iterator[dict]:
    """Yield a server's JSON answer to each request, in the order of the requests.

    url: address for requests, such as http://localhost:8000/v1/chat/completions; several, between
        spaces, are replicas: the least loaded gets the next request.
    concurrency: number of simultaneous requests.
    timeout: seconds for a whole answer.
    retries: further attempts if the server is busy (429, 5xx) or the connection is lost.
    pause: seconds before the first retry; it doubles each time, or is as long as the server asks.
    arrived: gets each answer, with the number of its request from 0, as soon as it is there, in
        the thread that has asked.  After an error, answers that are under way still come to it.

    A refused request is a RecordError; a missing key, model or address a
    MissingError; no answer, or none in JSON, ConnectionLost.
    """
    # its threads do not keep an interrupted process waiting
    from multiprocessing.pool import ThreadPool

    check_address(url)
    urls = tuple(url.split())
    replicas = _replicas(urls, tuple(map(_key, urls)), timeout, retries, pause)
    over = Event()

    def answer(numbered: tuple[int, Request]) -> dict:
        number, request = numbered
        answer = _asked(replicas, request, over)
        if arrived:
            arrived(number, answer)
        return answer

    with ThreadPool(concurrency) as pool:
        answers = pool.imap(answer, enumerate(requests))
        try:
            yield from answers
        except Exception:
            over.set()
            while arrived:  # until all answers have come, or errors in their place
                try:
                    next(answers)
                except StopIteration:
                    break
                except Exception:
                    continue  # the first error is the one that is told
            raise


def check_address(urls: str) -> None:
    """Raise OptionError for an invalid address, or one with a secret in it; spaces part several."""
    for url in urls.split() or [""]:
        try:
            parts = urlsplit(url)
            is_usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
        except ValueError:
            is_usable = False
        if not is_usable:
            raise OptionError(
                f"an endpoint is an address such as http://localhost:8000/v1, not {show(url)}"
            )
        # these would stand in records and in the list of processes
        if "@" in parts.netloc or parts.query:
            raise OptionError(
                "an endpoint's address must have no password and no query; put a key "
                "into DIALTOOLS_API_KEY"
            )


def _key(url: str) -> str:
    """Return the key for a server, "" for none."""
    names = ["DIALTOOLS_API_KEY"]
    if urlsplit(url).hostname == OF_OPENAI:
        names.append("OPENAI_API_KEY")
    for name in names:
        key = os.environ.get(name, "").strip()
        if not (key.isascii() and key.isprintable()):  # http.client would show the key in its error
            raise OptionError(f"the key in {name} has invalid characters")
        if key:
            return key
    return ""


def _asked(replicas: Replicas, request: Request, over: Event) -> dict:
    """Return the answer of a server to one request, with retries where these may help.

    over: set when no further request is to be sent.
    """
    record, body = request
    reason, wait, server = "", 0.0, replicas.servers[0]
    attempts = server.retries + len(replicas.servers)
    for attempt in range(attempts):
        if over.is_set() or attempt and over.wait(wait):
            break
        wait = server.pause * 2**attempt
        place = replicas.take()
        server = replicas.servers[place]
        try:
            return _answer(server, body)
        except HTTPError as error:
            reason = _masked(f"{error.code} {_message(error)}", server.key)
            if error.code not in (408, 429) and error.code < 500:
                raise _refusal(error, reason, server, record) from None
            wait = max(wait, _retry_after(error))
        except (OSError, HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            wait = 0.0 if replicas.lose(place, reason) else wait
        except ValueError as error:
            problem = (
                f"{server.url} answers {_masked(str(error), server.key)}: is it the address of "
                "an API, often …/v1?"
            )
            raise ConnectionLost(str(RecordError(problem, record))) from None
        finally:
            replicas.free(place)
        wait = min(wait, LONGEST_PAUSE)
    times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    urls = ", ".join(server.url for server in replicas.servers)
    raise ConnectionLost(str(RecordError(f"no answer from {urls} in {times}: {reason}", record)))


def _answer(server: Server, body: dict) -> dict:
    """Send a body and return the JSON object in the answer.

    Raise TimeoutError also for an endless answer, ConnectionError for one that breaks off, and
    ValueError for one that is no object, or too long.  An answer without outputs, which a message
    will show, comes without the key.
    """
    headers = {"Content-Type": "application/json", "User-Agent": "dialtools"}
    if server.key:
        headers["Authorization"] = f"Bearer {server.key}"
    request = urllib.request.Request(server.url, json.dumps(body).encode(), headers)
    end, data = time.monotonic() + server.timeout, bytearray()
    with server.opener.open(request, timeout=server.timeout) as response:
        while piece := response.read1(1 << 16):
            data += piece
            if len(data) > MOST:
                raise ValueError(f"more than {MOST >> 20} MiB")
            if time.monotonic() > end:
                raise TimeoutError(f"not complete after {server.timeout:g} s")
    try:
        answer = json.loads(data)
    except RecursionError:
        answer = None
    except ValueError:
        if data.lstrip()[:1] in (b"", b"{"):
            raise ConnectionError("the answer breaks off") from None
        answer = None
    if not isinstance(answer, dict):
        raise ValueError(f"no JSON object but {show(data[:80].decode(errors='replace'), 40)}")
    if not answer.get("choices") and server.key:
        text = json.dumps(answer, ensure_ascii=False)
        if server.key in text:
            return {"error": _masked(text, server.key)}
    return answer


def _message(error: HTTPError) -> str:
    """Return a server's error message, on one line."""
    try:
        text = error.read(1 << 14).decode(errors="replace")
    except (OSError, HTTPException):
        text = ""
    try:
        answer = json.loads(text)
        message = answer.get("error", answer) if isinstance(answer, dict) else answer
        if isinstance(message, dict):
            message = message.get("message") or message.get("detail")
    except (ValueError, RecursionError):
        message = None
    return show(" ".join(str(message or text or error.reason).split()), 300)


def _masked(text: str, key: str) -> str:
    return text.replace(key, "…") if key else text


def _refusal(error: HTTPError, reason: str, server: Server, record: dict) -> DialtoolsError:
    """Return the error for a request that needs no further attempt."""
    if error.code in (401, 403):
        return MissingError(
            f"{server.url} needs a key, or another key, in DIALTOOLS_API_KEY: {reason}"
        )
    if error.code in (404, 405):
        return MissingError(f"{server.url}: {reason}; are the address and the model's name right?")
    if 300 <= error.code < 400:
        place = _masked(str(error.headers.get("Location")), server.key)
        return MissingError(f"{server.url} has moved to {place}: give that address")
    return RecordError(f"the server refuses: {reason}", record)


def _retry_after(error: HTTPError) -> float:
    """Return the seconds that a server asks to wait, given as a number or a date; 0 for none."""
    value = error.headers.get("Retry-After") or ""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
