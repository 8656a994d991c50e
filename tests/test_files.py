"""files.py: compressed input is unpacked; output appears whole or not at all."""

import gzip
import os
import select
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import environment, until
from table_tests import each_row

from dialtools.system.files import number_of_lines, open_input, open_output

FILTER = "dt-perturb -k typo.case -q --lang en"
LINE = '{"id": "%s", "text": "Hello there"}\n'


@pytest.fixture
def running(tmp_path: Path):
    """Return a filter in mid-run: it has read one record, and waits for the next."""
    process = subprocess.Popen(
        [*FILTER.split(), "-o", "out.jsonl"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path),
        text=True,
    )
    process.stdin.write(LINE % "a")
    process.stdin.flush()
    until(lambda: list(tmp_path.glob(".*.part")) or process.poll() is not None)
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stderr.close()


@pytest.mark.parametrize(
    "number, status", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)]
)
def test_a_killed_filter_leaves_no_output(
    running: subprocess.Popen, tmp_path: Path, number: int, status: int
):
    running.send_signal(number)
    assert running.wait(timeout=60) == status
    assert not (tmp_path / "out.jsonl").exists()
    if number != signal.SIGKILL:
        assert not list(tmp_path.glob(".*.part"))
        said = running.stderr.read().strip()
        assert "the work is gone" in said if number == signal.SIGINT else said == ""


def test_the_next_run_removes_what_a_killed_one_left(running, tmp_path: Path, shell):
    """But not what another one is still writing."""
    again = f"{FILTER} -o out.jsonl <<< '{LINE.strip() % 'a'}'; ls -A"
    (held,) = tmp_path.glob(".*.part")
    assert shell(again).out == f"{held.name}\nout.jsonl\n"
    running.kill()
    running.wait(timeout=60)
    assert held.exists() and shell(again).out == "out.jsonl\n"


def test_the_next_run_removes_a_folder_that_a_killed_one_left(tmp_path: Path, shell):
    for name in (".parts.4194304.part", ".parts.1.part", ".others.1.part", ".parts.x.part"):
        (tmp_path / name / "inner").mkdir(parents=True)
    (tmp_path / "in.jsonl").write_text(LINE % "a")
    assert shell("dt-convert --split 2 --output-dir parts -q in.jsonl").status == 0
    left = [".others.1.part", ".parts.x.part", "in.jsonl", "parts"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


def test_a_killed_filter_leaves_old_output_as_it_was(running: subprocess.Popen, tmp_path: Path):
    (tmp_path / "out.jsonl").write_text("old\n")
    running.terminate()
    running.wait(timeout=60)
    assert (tmp_path / "out.jsonl").read_text() == "old\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_nohup_outlives_the_terminal(tmp_path: Path, jobs: int):
    command = ["nohup", *FILTER.split(), "--jobs", str(jobs)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=environment(tmp_path),
        text=True,
        start_new_session=True,
    ) as process:
        process.stdin.writelines(
            LINE % number for number in range(500)
        )  # several chunks for --jobs
        process.stdin.flush()
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGHUP)
        assert process.communicate(timeout=60)[0].splitlines()[-1].startswith('{"id":"499"')
    assert process.returncode == 0


def test_output_appears_when_it_is_complete(running: subprocess.Popen, tmp_path: Path):
    assert not (tmp_path / "out.jsonl").exists()
    running.communicate(timeout=60)
    assert running.returncode == 0
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_failing_filter_leaves_no_output(shell, tmp_path: Path):
    (tmp_path / "in.jsonl").write_text(LINE % "a" + "broken\n")
    (tmp_path / "out.jsonl").write_text("old\n")
    assert shell(f"{FILTER} in.jsonl -o out.jsonl").status == 3
    assert (tmp_path / "out.jsonl").read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_output_may_replace_the_input(shell, tmp_path: Path):
    """Its mode stays; a link stays a link."""
    (tmp_path / "real.jsonl").write_text(LINE % "a")
    (tmp_path / "real.jsonl").chmod(0o640)
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    assert shell(f"{FILTER} link.jsonl -o link.jsonl").status == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert '"variant":"typo.case:1"' in (tmp_path / "real.jsonl").read_text()
    assert (tmp_path / "real.jsonl").stat().st_mode & 0o777 == 0o640


def packed(suffix: str, data: bytes) -> bytes:
    return (
        gzip.compress(data) if suffix == "gz" else pytest.importorskip("zstandard").compress(data)
    )


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_input_is_unpacked(shell, tmp_path: Path, suffix: str):
    lines = [(LINE % i).encode() for i in range(1000)]
    (tmp_path / "plain").write_bytes(b"".join(lines))
    halves = (
        b"".join(lines[:500]),
        b"".join(lines[500:]),
    )  # written one after the other, as gzip and zstd allow
    (tmp_path / f"in.{suffix}").write_bytes(b"".join(packed(suffix, half) for half in halves))
    assert shell(f"{FILTER} in.{suffix}") == shell(f"{FILTER} plain")


@pytest.mark.parametrize("suffix", ["gz", "zst"])
@pytest.mark.parametrize("left", [0, 3, 60, -9, -1])
def test_damaged_input_is_one_line(shell, tmp_path: Path, suffix: str, left: int):
    data = packed(suffix, "".join(LINE % i for i in range(1000)).encode())
    (tmp_path / f"in.{suffix}").write_bytes(data[:left] or b"no such thing")
    result = shell(f"{FILTER} in.{suffix} -o out.jsonl")
    assert result.status == 5 and result.err.count("\n") == 1
    assert result.err.startswith(f"dt-perturb: in.{suffix}: ")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("no-such.jsonl", "no-such.jsonl: No such file or directory"),
        (".", ".: Is a directory"),
        (
            "/proc/self/mem",
            "/proc/self/mem: Input/output error",
        ),  # it is opened, but cannot be read
        ("in.jsonl -o no-such/out.jsonl", "no-such/out.jsonl: No such file or directory"),
        ("in.jsonl -o in.jsonl/out.jsonl", "in.jsonl/out.jsonl: Not a directory"),
        (
            "in.jsonl -o out/",
            "out/: Is a directory",
        ),  # none that is there: a file was made, called out
        (f"in.jsonl -o {'x' * 255}", f"/{'x' * 255}: File name too long"),
    ],
)  # of the one that it is written to until then
def test_what_cannot_be_opened_or_read_is_named(
    shell, tmp_path: Path, arguments: str, message: str
):
    (tmp_path / "in.jsonl").write_text(LINE % "a")
    result = shell(f"{FILTER} {arguments}")
    assert (result.out, result.status) == ("", 5)
    assert result.err.count("\n") == 1 and message in result.err


@pytest.mark.parametrize(
    "line, status",
    [
        ("dt-score -m exact --on-error skip", 1),
        ("dt-generate -g longest --progress", 0),
        ("dt-perturb", 2),
    ],
)
def test_messages_that_cannot_be_written_change_nothing(shell, tmp_path, line: str, status: int):
    """Neither what is written nor the exit status: on a full disk, and where nobody reads them."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    record = '{"id": 1, "dialogue": "Ann: so", "reference": "a"%s}'
    (tmp_path / "in.jsonl").write_text(
        record % (', "prediction": "a"' * ("score" in line)) + "\n{}\n" * (status == 1)
    )
    wanted = shell(f"{line} in.jsonl")
    assert wanted.err and wanted.status == status
    for stream in ("2> /dev/full", "2> >(true)"):
        found = shell(f"{line} in.jsonl {stream}")
        assert (found.out, found.status, found.err) == (wanted.out, status, "")


@pytest.mark.parametrize(
    "target, called", [("> /dev/full", "standard output"), ("-o /dev/full", "/dev/full")]
)
def test_a_full_disk_is_one_line(shell, tmp_path: Path, target: str, called: str):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    (tmp_path / "in.jsonl").write_text("".join(LINE % i for i in range(1000)))
    result = shell(f"{FILTER} in.jsonl {target}")
    assert (result.err, result.status) == (f"dt-perturb: {called}: No space left on device\n", 5)


@pytest.mark.parametrize(
    "target, called", [("> out", "standard output"), ("-o out", "out"), ("-o out.gz", "out.gz")]
)
def test_a_line_that_is_cut_short_is_no_success(shell, tmp_path: Path, target: str, called: str):
    (tmp_path / "in.jsonl").write_text(LINE % "".join(map(str, range(9000))))
    result = shell(
        f"ulimit -f 1; {FILTER} in.jsonl {target}",
        PYTHONUNBUFFERED="1",  # 1 KiB can be written
        PYTHONDONTWRITEBYTECODE="1",
    )  # nor would the byte code of a module be whole
    assert result.status == 5 and result.err.endswith(f"{called}: File too large\n")


def test_in_python_too(tmp_path: Path):
    path = tmp_path / "x.gz"
    with pytest.raises(KeyboardInterrupt), open_output(str(path)) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    path.write_bytes(gzip.compress(b"whole\n"))
    with open_input(str(path)) as file:
        assert list(file) == [b"whole\n"]


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_output_is_packed_as_its_name_says(shell, tmp_path: Path, suffix: str):
    if suffix == "zst":
        pytest.importorskip("zstandard")
    path = str(tmp_path / f"x.{suffix}")
    (tmp_path / "in.jsonl").write_text(LINE % "a" + LINE % "b")
    assert shell(f"{FILTER} in.jsonl -o {path} && {FILTER} in.jsonl -o plain").status == 0
    with open_input(path) as file:
        assert file.read() == (tmp_path / "plain").read_bytes()
    packed = []
    for _ in range(2):
        with open_output(path) as file:
            file.write(b"line\n" * 1000)
            file.flush()
        packed.append((tmp_path / f"x.{suffix}").read_bytes())
    assert packed[0] == packed[1] and len(packed[0]) < 100
    with open_input(path) as file:
        assert file.read() == b"line\n" * 1000


@pytest.mark.parametrize(
    "line, said",
    [
        ("dt-swap-names --ids --report made -o made", "--report and -o are one file, made"),
        ("dt-swap-names --ids --report -", "--report and the output are both standard output"),
        (
            "dt-select --drop bare --rejected /dev/stdout",
            "--rejected and the output are both standard output",
        ),
        ("dt-generate -g longest --cache made -o made", "--cache and -o are one file, made"),
        ("dt-select --drop bare --rejected made -o ./made", "--rejected and -o are one file, made"),
        (
            "dt-swap-names --ids --report ./in.jsonl in.jsonl",
            "--report: ./in.jsonl is an input, and would be replaced",
        ),
        (
            "dt-generate -g longest --cache in.jsonl in.jsonl",
            "--cache: in.jsonl is an input, and would be replaced",
        ),
        (
            "dt-select --drop bare --rejected in.jsonl < in.jsonl #",
            "--rejected: in.jsonl is an input, and would be replaced",
        ),
        ("dt-swap-names --ids --report ''", "--report is empty"),
        (f"{FILTER} -o ''", "--output is empty"),
    ],
)
def test_outputs_have_names_of_their_own(shell, tmp_path: Path, line: str, said: str):
    (tmp_path / "in.jsonl").write_text(LINE % "a")
    found = shell(f"{line} nothing.jsonl")
    assert found.status == 2 and said in found.err
    assert (tmp_path / "in.jsonl").read_text() == LINE % "a"


def test_a_file_name_that_is_not_utf8_is_shown_as_far_as_it_can_be(shell):
    done = shell(
        "printf '7\\n' > $'caf\\xe9'; dt-check --format json caf*; dt-check --format text caf*"
    )
    assert (
        done.status == 1
        and '"first":"caf\ufffd:1"' in done.out
        and "caf\ufffd:1\n" in done.out.partition("\n")[2]
    )
    assert done.err == ""


@each_row(
    "line, called",
    [
        (FILTER, "FILE"),
        (f"{FILTER} -", "FILE"),
        ("dt-template", "TEMPLATE"),
        *(
            (line, line.rpartition(" ")[2])
            for line in (
                f"{FILTER} --shard",
                "dt-swap-names --map",
                "dt-swap-names --ids --pattern",
                "dt-swap-names --ids --person",
                "dt-select --explode --without",
                "dt-generate -g longest --system",
                "dt-generate -g longest --extract",
                "dt-clean --urls --terms",
                "dt-score -m f1 --summary --by",
                "dt-perturb -k typo.case --encoder",
                "dt-perturb -k typo.case --lang",
                "dt-keywords --by label --label",
            )
        ),
    ],
)
def test_what_is_named_by_a_variable_that_is_not_set_is_told(shell, line: str, called: str):
    """Else other names would be drawn, all outputs be kept, and each job of an array would do all of the work."""
    found = shell(f"echo '{LINE.strip() % 'a'}' | {line} ''")
    assert (found.status, found.out) == (
        2,
        "",
    ) and f" {called} is empty: is it a variable" in found.err


def test_a_second_plugin_is_refused_where_one_is_taken(shell):
    """Else one would be forgotten, where -m and -k may be repeated."""
    found = shell("dt-ttest --value x --by y -t welch -t student")
    assert found.status == 2 and "--test is given twice" in found.err
    assert shell("dt-score -m f1 -m exact").status == 0


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"])
def test_streams_by_name_keep_what_was_written_before(shell, tmp_path: Path, name: str):
    (tmp_path / "in.jsonl").write_text(LINE % "a")
    assert (
        shell(
            f"echo before > made; {FILTER} in.jsonl -o {name} >> made 2>&1; echo after >> made"
        ).status
        == 0
    )
    before, made, after = (tmp_path / "made").read_text().splitlines()
    assert (before, made[:9], after) == ("before", '{"id":"a"', "after")


@pytest.mark.parametrize("output", ["-o >(head -1 > first)", "-o /dev/stdout | head -1 > first"])
def test_a_reader_of_a_named_pipe_leaves(shell, tmp_path: Path, output: str):
    (tmp_path / "in.jsonl").write_text("".join(LINE % number for number in range(5000)))
    found = shell(f"{FILTER} in.jsonl {output}; echo ${{PIPESTATUS[0]}}")
    assert (found.out, found.err) == ("141\n", "")


def test_who_reads_a_named_pipe_need_not_wait(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(
        [*FILTER.split(), "-o", "fifo"],
        stdin=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
        env=environment(tmp_path),
    ) as process:
        process.stdin.write(LINE % "b")
        process.stdin.flush()
        with open(tmp_path / "fifo") as made:
            assert select.select([made], [], [], 60)[0] and made.readline().startswith('{"id":"b"')


def test_lines_are_counted_of_what_can_be_read_twice(tmp_path):
    (tmp_path / "a").write_bytes(b"1\n2\n")
    (tmp_path / "b").write_bytes(b"3\n")
    (tmp_path / "c.gz").write_bytes(b"")
    a, b, c = (str(tmp_path / name) for name in ("a", "b", "c.gz"))
    assert number_of_lines([a, b]) == 3
    assert [number_of_lines(paths) for paths in ([], [a, c], [a, "-"], [a, "/dev/null"])] == [
        None
    ] * 4
