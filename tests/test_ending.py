"""ending.py and what waits in files.py: who tells a command to end is heard, whatever Python is at."""

import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest
from conftest import ROOT

from dialtools.system.files import open_input
from dialtools.system.process import ending_cleanly


@pytest.fixture
def told():
    """Let SIGTERM end this process with an exception, as it ends a command, for the time of a test."""
    signals = signal.SIGTERM, signal.SIGHUP, signal.SIGALRM
    before, hook = [signal.getsignal(one) for one in signals], sys.unraisablehook
    ending_cleanly()
    yield
    sys.unraisablehook = hook
    for one, handler in zip(signals, before, strict=True):
        signal.signal(one, handler)


class Deaf:
    """An object at whose end something happens; what it raises Python ignores."""

    def __init__(self, happens):
        self.happens = happens

    def __del__(self):
        self.happens()


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def interrupt() -> None:
    raise KeyboardInterrupt


def of_a_reference() -> None:
    thing = set[int]()
    reference = weakref.ref(thing, lambda gone: terminate())
    del thing
    assert reference() is None


@pytest.mark.parametrize(
    "happens, error, status",
    [
        (lambda: Deaf(terminate), SystemExit, (143,)),
        (of_a_reference, SystemExit, (143,)),
        (lambda: Deaf(lambda: Deaf(terminate)), SystemExit, (143,)),
        (lambda: Deaf(interrupt), KeyboardInterrupt, ()),
    ],
)
def test_an_end_that_python_ignores_comes_again(
    told, capfd, happens, error: type[BaseException], status: tuple
):
    with pytest.raises(error) as end:
        happens()
        time.sleep(60)
    assert end.value.args == status and capfd.readouterr().err == ""


def test_another_error_that_python_ignores_is_shown(told, capfd):
    Deaf(lambda: [].pop())
    assert "IndexError" in capfd.readouterr().err


def test_a_signal_that_does_not_interrupt_reading_is_seen(told):
    """As one that comes just before it begins: here another thread gets it."""
    there, other = os.pipe()
    elsewhere = threading.Timer(
        0.1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    )
    end = threading.Timer(60, os.close, [other])  # of what would wait for ever
    end.start()
    with pytest.raises(SystemExit), open_input(f"/dev/fd/{there}") as file:
        elsewhere.start()
        file.readline()
    end.cancel()
    os.close(there)
    os.close(other)


def test_an_interrupt_while_the_command_is_imported_is_silent():
    program = (
        "import os, signal, sys; from dialtools.commands import main; sys.argv = ['dt-score']; "
        "sys.addaudithook(lambda event, arguments: event == 'import' and 'pipeline' in arguments[0] "
        "and os.kill(os.getpid(), signal.SIGINT)); main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_an_interrupted_command_of_a_broken_pipe_is_quiet(shell, tmp_path):
    """What it has not written yet has no reader: Python complained when it tried again at its end."""
    (tmp_path / "x.py").write_text(
        "import sys\nfrom dialtools.pipeline import cli\n\n\ndef end():\n    sys.stdout.write('a')\n"
        "    raise KeyboardInterrupt\n\n\ncli.command('dt-x')(end)([])\n"
    )
    found = shell("{ sleep 0.3; python x.py; } | true; echo ${PIPESTATUS[0]}", PYTHONPATH=str(ROOT))
    assert (found.err, found.out) == ("", "130\n")
