"""Servers of the OpenAI API (vLLM, llama.cpp, …): one request answered, in spite of what passes.

The key comes from the environment alone, DIALTOOLS_API_KEY; OPENAI_API_KEY goes to api.openai.com
only. No message shows it.
"""

import json
import math
import os
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from threading import Event, Lock
from typing import NamedTuple
from urllib.parse import urlsplit

from dialtools.inference.completions import Filtered
from dialtools.inference.connections import Connections, Response
from dialtools.models.decoding import Serving
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
PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds before the first retry, and before any
IN_A_ROW = 10  # requests, or --concurrency if that is more, that fail before a server is given up
OF_OPENAI = "api.openai.com"
COUNTED = ("tokens_read", "tokens_written", "retries", "timed_out", "filtered")
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}


class Traffic:
    """Counts of requests that many threads make: retries, time-outs, tokens …"""

    def __init__(self) -> None:
        self.lock, self.counts = Lock(), Counter[str](dict.fromkeys(COUNTED, 0))

    def add(self, **counts: int) -> None:
        """Add to the counts."""
        with self.lock:
            self.counts.update(counts)

    def taken(self) -> Counter[str]:
        """Return what was counted since this was called last."""
        with self.lock:
            counts, self.counts = self.counts, Counter(dict.fromkeys(COUNTED, 0))
        return counts


class Server(NamedTuple):
    """A server, the key for it ("" for none) and the connections to it."""

    url: str
    key: str
    connections: Connections


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


class Client:
    """Servers of one model, which many threads ask.

    urls: addresses for requests, such as http://localhost:8000/v1/chat/completions; several,
        between spaces, are replicas: the least loaded gets the next request.
    serving: concurrency, timeout, retries, patience and rate, as the options say.
    pause: seconds before the first retry; it doubles each time.
    first: requests without an answer, before there is any, after which the servers are given up.
    traffic: gets the numbers of retries and time-outs.
    """

    def __init__(
        self,
        urls: str,
        serving: Serving = Serving(),
        *,
        pause: float = PAUSE,
        first: int = 1,
        traffic: Traffic | None = None,
    ):
        check_address(urls)
        self.serving, self.pause, self.first = serving, pause, first
        self.traffic = traffic or Traffic()
        self.replicas = Replicas(
            [Server(url, _key(url), Connections(url, serving.timeout)) for url in urls.split()]
        )
        self.over = Event()  # no further request is to be sent
        self.lock, self.has_answered, self.failures = Lock(), False, 0
        self.interval, self.next_start = interval(serving.rate), 0.0

    def answer(self, record: dict, body: dict) -> dict:
        """Return a server's JSON answer to a request; record: for messages.

        A connection that is lost, a server that fails (5xx) or is busy (429) is asked again, so
        many times.  One that is busy and says until when (Retry-After) is asked again then, and
        only the seconds are counted, up to the patience.  After that, or where a server refuses
        the request, it is a RecordError; a missing key, model or address, or servers that answer
        nothing, are a MissingError; no JSON at all is ConnectionLost.
        """
        servers = self.replicas.servers
        attempts = self.serving.retries + len(servers)
        failed, waited, wait, reason = 0, 0.0, 0.0, "the run has ended"
        while not (self.over.is_set() or wait and self.over.wait(wait * random.uniform(1, 1.25))):
            if failed or waited:
                self.traffic.add(retries=1)
            self._keep_pace()
            wait = min(self.pause * 2**failed, LONGEST_PAUSE)
            place = self.replicas.take()
            server, busy = servers[place], 0.0
            try:
                response = self._sent(server, body)
                if response.status // 100 == 2:
                    return self._parsed(response.data, server, record)
                reason = _masked(f"{response.status} {_message(response)}", server.key)
                if response.status not in (408, 429) and response.status < 500:
                    raise self._refusal(response, reason, server, record)
                if response.status in (429, 503):
                    busy = _retry_after(response.headers)
            except (OSError, HTTPException) as error:
                reason = str(error) or type(error).__name__
                self.traffic.add(timed_out=isinstance(error, TimeoutError))
                wait = 0.0 if self.replicas.lose(place, reason) else wait
            finally:
                self.replicas.free(place)
            if busy > 0:
                waited, wait = waited + busy, busy
            else:
                failed += 1
            if failed == attempts or waited > self.serving.patience:
                break
        within = "in 1 attempt" if failed == 1 else f"in {failed} attempts"
        if waited > self.serving.patience:
            within = f"within --patience {self.serving.patience:g}"
        raise self._failure(f"{within}: {reason}", record)

    def _keep_pace(self) -> None:
        """Wait until the rate allows one more request."""
        if not self.interval:
            return
        with self.lock:
            now = time.monotonic()
            start = max(now, self.next_start)
            self.next_start = start + self.interval
        self.over.wait(start - now)

    def _sent(self, server: Server, body: dict) -> Response:
        headers = {"Content-Type": "application/json", "User-Agent": "dialtools"}
        if server.key:
            headers["Authorization"] = f"Bearer {server.key}"
        return server.connections.post(json.dumps(body).encode(), headers)

    def _parsed(self, data: bytes, server: Server, record: dict) -> dict:
        """Return the JSON object in an answer; one without outputs comes without the key.

        Raise ConnectionError for an answer that breaks off, or is none where there were others.
        """
        try:
            answer = json.loads(data)
        except RecursionError:
            answer = None
        except ValueError:
            if data.lstrip()[:1] in (b"", b"{"):
                raise ConnectionError("the answer breaks off") from None
            answer = None
        if not isinstance(answer, dict):
            start = _masked(show(data[:80].decode(errors="replace"), 40), server.key)
            if self.has_answered:
                raise ConnectionError(f"no JSON object but {start}")
            problem = (
                f"{server.url} answers no JSON object but {start}: is it the address of an API, "
                "often …/v1?"
            )
            raise ConnectionLost(str(RecordError(problem, record)))
        self._has_answered()
        if not answer.get("choices") and server.key:
            text = json.dumps(answer, ensure_ascii=False)
            if server.key in text:
                return {"error": _masked(text, server.key)}
        return answer

    def _has_answered(self) -> None:
        with self.lock:
            self.has_answered, self.failures = True, 0

    def _failure(self, reason: str, record: dict) -> DialtoolsError:
        """Return the error for a request without an answer."""
        urls = ", ".join(server.url for server in self.replicas.servers)
        with self.lock:
            self.failures += 1
            failures = self.failures
        most = max(IN_A_ROW, self.serving.concurrency) if self.has_answered else self.first
        if failures < most:
            return RecordError(f"no answer from {urls} {reason}", record)
        requests = f"to {failures} requests in a row, the last " if failures > 1 else ""
        return MissingError(str(RecordError(f"no answer from {urls} {requests}{reason}", record)))

    def _refusal(
        self, response: Response, reason: str, server: Server, record: dict
    ) -> DialtoolsError:
        """Return the error for a request that needs no further attempt."""
        if b"content_filter" in response.data:
            self._has_answered()
            return Filtered(f"the server's content filter refuses: {reason}", record)
        if response.status in (401, 403):
            return MissingError(
                f"{server.url} needs a key, or another key, in DIALTOOLS_API_KEY: {reason}"
            )
        if response.status in (404, 405):
            return MissingError(
                f"{server.url}: {reason}; are the address and the model's name right?"
            )
        if 300 <= response.status < 400:
            place = _masked(str(response.headers.get("Location")), server.key)
            return MissingError(f"{server.url} has moved to {place}: give that address")
        self._has_answered()
        return RecordError(f"the server refuses: {reason}", record)


def interval(rate: str) -> float:
    """Return the seconds between two requests at a rate such as 60/min; 0 without one.

    >>> interval("60/min"), interval("0.5/s"), interval("")
    (1.0, 2.0, 0.0)
    """
    if not rate:
        return 0.0
    match = re.fullmatch(r"(\d+(?:\.\d+)?)/(s|min|h)", rate)
    if not match or not float(match[1]):
        raise OptionError(f"rate is N/s, N/min or N/h, such as 60/min, not {show(rate)}")
    return _SECONDS[match[2]] / float(match[1])


def prices(price: str) -> tuple[float, float]:
    """Return the prices of a token of input and of output, given those of a million.

    >>> prices("0.5/2"), prices("")
    ((5e-07, 2e-06), (0.0, 0.0))
    """
    try:
        of_input, of_output = (float(part) / 1e6 for part in (price or "0/0").split("/"))
    except ValueError:
        of_input = of_output = -1.0
    if not (0 <= of_input < math.inf and 0 <= of_output < math.inf):
        raise OptionError(f"price is IN/OUT, such as 0.15/0.6, not {show(price)}")
    return of_input, of_output


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


def _message(response: Response) -> str:
    """Return a server's error message, on one line."""
    text = response.data[: 1 << 14].decode(errors="replace")
    try:
        answer = json.loads(text)
        message = answer.get("error", answer) if isinstance(answer, dict) else answer
        if isinstance(message, dict):
            message = message.get("message") or message.get("detail")
    except (ValueError, RecursionError):
        message = None
    return show(" ".join(str(message or text or response.reason).split()), 300)


def _masked(text: str, key: str) -> str:
    return text.replace(key, "…") if key else text


def _retry_after(headers: HTTPMessage) -> float:
    """Return the seconds that a server asks to wait, given as a number or a date; 0 for none."""
    value = headers.get("Retry-After") or ""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
