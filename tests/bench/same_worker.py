"""A process that runs the commands of one checkout, each in a fork of itself.

It has imported the checkout's code and libraries, so that a command costs milliseconds to start.
All that it knows of the checkout is `bin/`, the names in `dialtools`, and that modules can be imported.

    python same_worker.py CHECKOUT SOCKET

reads [folder, line, libraries] as lines of JSON, runs the line in the folder, and answers with
the CPU seconds that it took.  `tests/bench/same.runs` says what a line may hold.  Programs that a line starts,
such as make, find our commands and python3 in the folder `programs` of `same_runs.programs`: these hand
their arguments to SOCKET, and so start as fast.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import pty
import re
import resource
import runpy
import select
import shlex
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBRARIES = "orjson", "regex", "rapidfuzz", "sacrebleu", "tqdm", "numpy", "jinja2", "click"
SECONDS = 600  # of CPU time, after which a command is ended
LONGEST = 900  # seconds, of waiting too
OPERATORS = "|", "&&", "||", ";"


def serve(checkout: Path, address: str) -> None:
    """Run what standard input and the socket ask for, until standard input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    import_all(checkout)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forks that nobody waits for leave nothing
    unread = b""
    while True:
        ready = select.select([requests, listener], [], [])[0]
        if listener in ready:
            connection = listener.accept()[0]
            if os.fork() == 0:
                listener.close()
                run_for_program(connection)
            connection.close()
        if requests in ready:
            data = os.read(requests.fileno(), 65536)
            if not data:
                return
            *lines, unread = (unread + data).split(b"\n")
            for line in lines:
                folder, command_line, libraries = json.loads(line)
                for library in libraries:
                    with contextlib.suppress(ImportError):
                        importlib.import_module(library)
                gc.collect()
                gc.freeze()  # a collection in a fork would copy all pages
                if os.fork() == 0:
                    try:
                        seconds = run(folder, command_line)
                    except Exception:
                        traceback.print_exc()
                        seconds = -1
                    os.write(answers, b"%.3f\n" % seconds)
                    os._exit(0)


def import_all(checkout: Path) -> None:
    """Import libraries and all modules of the checkout, and let them read the data of languages."""
    sys.path.remove(str(Path(__file__).resolve().parent))
    sys.path.insert(0, str(checkout))
    for library in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    import dialtools

    for module in pkgutil.walk_packages(dialtools.__path__, "dialtools."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    dialogue = "Ann: Hi Bob, is it there?\nBob: Yes, Ann."
    for lang in ("en", "zh", "ja", "hi", "id", "jv"):
        record = {"id": 1, "lang": lang, "dialogue": dialogue, "reference": "Hi"}
        for command, options in (
            ("swap_names", {}),
            ("perturb", {"kind": ["typo", "dialogue"]}),
            ("perturb", {"kind": ["asr"]}),
            ("score", {"metric": ["rouge2", "bleu", "chrf"]}),
        ):
            prediction = {"prediction": "Hi"} if command == "score" else {}
            with contextlib.suppress(Exception):
                list(getattr(dialtools, command)([record | prediction], **options))


def run(folder: str, line: str) -> float:
    """Run the commands of a line in turn; write stdout, stderr, statuses and calls into the folder.

    Returns the CPU seconds of all that ran.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    os.environ |= {"PWD": folder, "CALLS": f"{folder}/calls", "CPU": f"{folder}/cpu"}
    statuses: list[int] = []
    if line.startswith("call "):
        statuses = [in_fork(lambda: evaluate(line[5:]), "in/nothing", "stdout")]
    else:
        run_commands(shlex.split(line), statuses)
    Path("statuses").write_text(f"{statuses}\n")
    Path("cpu").touch()
    elsewhere = map(float, Path("cpu").read_text().split())
    return sum(os.times()[2:4]) + sum(elsewhere)


def run_commands(words: list[str], statuses: list[int]) -> None:
    """Run commands between operators, as a shell would; add their exit statuses."""
    source = "in/nothing"
    while words:
        size = next((i for i, word in enumerate(words) if word in OPERATORS), len(words))
        command, operator, words = words[:size], "".join(words[size : size + 1]), words[size + 1 :]
        target = f"piped{len(statuses)}" if operator == "|" else "stdout"
        if len(command) > 2 and command[-2] == ">":
            target = "stdout" if command[-1].startswith("in/") else command[-1]
            command = command[:-2]
        if len(command) > 2 and command[-2] == "<":
            command, source = command[:-2], command[-1]
        statuses.append(in_fork(lambda: execute(command), source, target))
        source = f"piped{len(statuses) - 1}" if operator == "|" else "in/nothing"
        if operator == "&&" and statuses[-1] or operator == "||" and not statuses[-1]:
            return


def in_fork(action: Callable[[], Any], source: str, target: str) -> int:
    """Do something with standard input and output from and to files; return its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    redirect(source, target)
    limit_time()
    end_after(action)


def redirect(source: str, target: str) -> None:
    """Let standard input and output of this process be files, and standard error the file of that name."""
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, name, flags in (
        (0, source, os.O_RDONLY),
        (1, target, append),
        (2, "stderr", append),
    ):
        os.dup2(os.open(name, flags, 0o644), number)


def limit_time() -> None:
    """Let this process end if it computes or waits for too long."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(LONGEST)


def end_after(action: Callable[[], Any]) -> None:
    """Do something, and end this process as Python would, but without taking all modules apart."""
    status: Any = 0
    try:
        action()
    except SystemExit as error:
        status = error.code
    except BaseException:
        traceback.print_exc()
        status = 1
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        status = 120
    os._exit(status or 0)


def execute(command: list[str]) -> None:
    """Become a command: one of ours, a program, or, after "tty", one of ours on a terminal."""
    while re.match(r"\w+=", command[0]):
        name, _, value = command[0].partition("=")
        os.environ[name], command = value, command[1:]
    if command[0] == "tty":
        on_terminal(command[1:])
    elif is_ours(command[0]):
        become(command)
    else:
        os.execvp(command[0], command)


def is_ours(name: str) -> bool:
    """Return whether a command is one of bin/."""
    return name == "dt" or name.startswith("dt-")


def become(command: list[str]) -> None:
    """Run a script of bin/, as if it had been started; it ends this process."""
    with open(os.environ.get("CALLS", os.devnull), "a", encoding="utf-8") as calls:
        calls.write(json.dumps(command, ensure_ascii=False) + "\n")
    sys.argv = command
    checkout_bin = os.environ["CHECKOUT_BIN"]
    path = os.path.join(checkout_bin, command[0])
    if not os.path.exists(path):
        print(f"{command[0]}: command not found", file=sys.stderr)
        os._exit(127)
    runpy.run_path(path, run_name="__main__")


def run_program(arguments: list[str]) -> None:
    """Run one of our commands, or python3 with a script."""
    if is_ours(arguments[0]):
        become(arguments)
    sys.argv = arguments[1:]
    if arguments[1] == "-m":
        sys.argv = arguments[2:]
        runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[1])))
        runpy.run_path(arguments[1], run_name="__main__")


def on_terminal(command: list[str]) -> None:
    """Run a command whose standard input, output and error are a terminal of 80 columns."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.environ.setdefault("PAGER", "cat")
        os.environ.pop("NO_COLOR", None)
        end_after(lambda: become(command))
    os.set_inheritable(terminal, False)
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        os.write(1, data)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)


def run_for_program(connection: socket.socket) -> None:
    """Run what a stand-in in `programs` was called with; tell it the exit status; end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    data, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not data.endswith(b"\n"):
        data += connection.recv(1 << 20)
    arguments, folder, variables = json.loads(data)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        limit_time()
        end_after(lambda: run_program(arguments))
    _, status, used = os.wait4(child, 0)
    status = os.waitstatus_to_exitcode(status)
    with open(variables["CPU"], "a") as file:
        file.write(f"{used.ru_utime + used.ru_stime:.3f}\n")
    with contextlib.suppress(OSError):
        connection.sendall(b"%d" % (status if status >= 0 else 128 - status))
    os._exit(0)


def evaluate(expression: str) -> None:
    """Print what a call of Python gives: the items of an iterator, or the value; or its error."""
    import warnings

    import dialtools

    sys.path.insert(0, "in")
    import own

    def warned(message: Any, category: type, *_: Any, **__: Any) -> None:
        print(f"{category.__name__}: {message}", file=sys.stderr)

    warnings.showwarning = warned
    with open(os.environ.get("CALLS", os.devnull), "a", encoding="utf-8") as calls:
        calls.write(json.dumps(["call", expression], ensure_ascii=False) + "\n")
    try:
        value = eval(expression, {"dialtools": dialtools, "read": dialtools.read, "own": own})
        if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
            value = [value]
        for item in value:
            print(
                item
                if isinstance(item, str)
                else json.dumps(item, ensure_ascii=False, default=repr)
            )
    except (Exception, SystemExit) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(9)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
