"""The notebook of the tour runs, and its outputs are what its cells give; --update writes them anew."""

import shutil
from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOK = ROOT / "examples" / "tour" / "notebook.ipynb"


def test_outputs_of_the_notebook_are_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    shutil.copytree(ROOT / "examples" / "speaker-names", tmp_path / "speaker-names")
    (tmp_path / "tour").mkdir()
    for name, value in {"PYTHONPATH": ROOT, "COLUMNS": 80, "IPYTHONDIR": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    shown = [cell.get("outputs") for cell in notebook.cells]
    place = {"metadata": {"path": tmp_path / "tour"}}
    nbclient.NotebookClient(notebook, record_timing=False, resources=place).execute()
    made = [cell.get("outputs") for cell in notebook.cells]
    if request.config.getoption("--update") and made != shown:
        nbformat.write(notebook, NOTEBOOK)
    else:
        assert made == shown, "run pytest --update if this is right"
