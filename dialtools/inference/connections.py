"""Connections to a server: one for each thread, kept open from one request to the next."""

import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPMessage, HTTPSConnection, RemoteDisconnected
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

MOST = 1 << 28  # bytes of an answer
# what a server that has closed a connection in the meantime looks like
_CLOSED = (RemoteDisconnected, ConnectionResetError, BrokenPipeError)


class Response(NamedTuple):
    """What a server sends back."""

    status: int
    reason: str
    headers: HTTPMessage
    data: bytes


class Connections:
    """Connections to one address, through the proxy that the environment names."""

    def __init__(self, url: str, timeout: float):
        """Take the address, and the seconds for a whole answer."""
        self.timeout, self.by_thread = timeout, threading.local()
        parts = urlsplit(url)
        self.kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.host, self.port = parts.hostname or "", parts.port
        self.target = parts.path or "/"
        self.tunnel: str | None = None
        self.headers: dict[str, str] = {}
        self.tunnel_headers: dict[str, str] = {}
        proxy = getproxies().get(parts.scheme)
        if not proxy or proxy_bypass(parts.netloc):
            return
        of_proxy = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        login: dict[str, str] = {}
        if of_proxy.username:
            secret = f"{unquote(of_proxy.username)}:{unquote(of_proxy.password or '')}"
            login = {"Proxy-Authorization": f"Basic {b64encode(secret.encode()).decode()}"}
        if parts.scheme == "https":
            self.tunnel, self.tunnel_headers = parts.netloc, login
        else:
            self.target, self.headers = url, login
        self.host, self.port = of_proxy.hostname or "", of_proxy.port

    def post(self, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send a body and return what comes back, a redirection too.

        Raise TimeoutError also for an endless answer, ConnectionError for one that breaks off, and
        ValueError for one that is too long.  A connection that the server has closed since the
        last request is opened anew at once.
        """
        kept: HTTPConnection | None = getattr(self.by_thread, "connection", None)
        if kept is not None and kept.sock is not None:
            try:
                return self._posted(kept, body, headers)
            except _CLOSED:
                pass
        self.by_thread.connection = connection = self.kind(
            self.host, self.port, timeout=self.timeout
        )
        if self.tunnel:
            connection.set_tunnel(self.tunnel, headers=self.tunnel_headers)
        return self._posted(connection, body, headers)

    def _posted(
        self, connection: HTTPConnection, body: bytes, headers: Mapping[str, str]
    ) -> Response:
        end, data = time.monotonic() + self.timeout, bytearray()
        try:
            connection.request("POST", self.target, body, {**self.headers, **headers})
            with connection.getresponse() as response:
                while piece := response.read1(1 << 16):
                    data += piece
                    if len(data) > MOST:
                        raise ValueError(f"more than {MOST >> 20} MiB")
                    if time.monotonic() > end:
                        raise TimeoutError(f"not complete after {self.timeout:g} s")
                if response.length:  # that are still to come
                    raise ConnectionError("the answer breaks off")
                return Response(response.status, response.reason, response.headers, bytes(data))
        except BaseException:
            connection.close()  # what is left of this answer must not be read as the next one
            raise
