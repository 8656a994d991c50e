"""Records asked of a generator: in order, window by window, or many at once of a server."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

from dialtools.inference import cache, completions, outputs, servers, window
from dialtools.inference.identity_check import distance
from dialtools.inference.outputs import Answered
from dialtools.inference.views import Ask
from dialtools.models.decoding import Serving
from dialtools.plugins.options import gathered
from dialtools.plugins.registry import Plugin
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import RecordError

Send = Callable[[dict, dict], dict]  # (record, body of a request) -> answer


class Question(NamedTuple):
    """What a server is asked for a view of a record."""

    view: dict
    body: dict
    twice: bool  # to see whether the answer differs


@dataclass
class Asking:
    """A generator, here or behind a server, with its cache and its checks.

    options: all of its options; settings: those that change its outputs.
    answers: batch file of the server's answers, read instead of asking.
    cache: SQLite file of earlier outputs.
    identity_check: number of records that are asked for twice.
    traffic: gets the numbers of requests and tokens.
    """

    plugin: Plugin
    options: dict[str, Any]
    settings: dict[str, Any]
    answers: str | None
    cache: str | None
    identity_check: int | None
    traffic: servers.Traffic

    def outputs(self, records: Iterable[dict], ask: Ask) -> Iterator[Answered]:
        """Yield each record with its views and outputs.

        A record that fails comes with its error where Records.with_failures; else it ends all,
        after those before it.

        ask: record -> its views.
        """
        if not self.plugin.declared.requests:
            make_views = outputs.maker(
                self.plugin, self.options, self.settings, self.cache, self.identity_check
            )
            for asked in outputs.windows(records, ask, outputs.batch_size(self.options)):
                yield from outputs.outputs(asked, make_views, self.plugin.name)
            return
        stops = not getattr(records, "with_failures", False)
        send, over, concurrency = self._server(first=1 if stops else servers.IN_A_ROW)
        to_check = iter(range(self.identity_check or 0))

        def questions(record: dict) -> tuple[tuple, list[Question]]:
            try:
                views = ask(record)
                pairs = self.plugin.declared.requests(views, **self.options)
            except RecordError as error:
                if stops:
                    raise
                return (record, [], error), []
            twice = next(to_check, None) is not None
            return (record, views, None), [Question(view, body, twice) for view, body in pairs]

        def output(question: Question) -> dict:
            return self._output(send, question)

        with cache.opened(self.cache) if self.cache else nullcontext() as file:
            make: Callable[[Question], dict] = output
            if file:
                key = outputs.key(self.plugin, self.options, self.settings)
                make = cache.kept(output, file, lambda question: key(question.view))

            def checked(question: Question) -> dict:
                first = make(question)
                if not question.twice:
                    return first
                second = output(question)
                identity = distance(first["prediction"], second["prediction"])
                return {**first, "identity": identity}

            for (record, views, error), made in window.in_order(
                checked,
                Listed(map(questions, together) for together in lists(records)),
                concurrency,
                lambda question: (completions.request_name(question.body), question.twice),
                stops=stops,
                end=over,
            ):
                failures = (failure for failure in made if isinstance(failure, RecordError))
                yield record, views, error or next(failures, None) or made

    def _server(self, first: int) -> tuple[Send, Callable[[], None], int]:
        """Return how an answer is had, how that is ended, and for how many at once."""
        if self.answers:
            return completions.batch_answers(self.answers), lambda: None, 1
        serving = gathered(Serving, self.options)
        urls = completions.address(self.options["endpoint"], serving.api)
        client = servers.Client(urls, serving, first=first, traffic=self.traffic)
        return client.answer, client.over.set, serving.concurrency

    def _output(self, send: Send, question: Question) -> dict:
        try:
            answer = send(question.view, question.body)
            output = self.plugin.declared.read(answer, question.view, **self.options)
        except completions.Filtered:
            self.traffic.add(filtered=1)
            raise
        self.traffic.add(
            tokens_read=output["input_tokens"] or 0, tokens_written=output["output_tokens"] or 0
        )
        return output
