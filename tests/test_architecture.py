"""The shape of the code: who may import whom, and what a wheel holds."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

CHECKOUT = Path(__file__).parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
FOLDERS = PROJECT["tool"]["scikit-build"]["wheel"]["packages"]


def imported_roots(file: Path) -> Iterator[str]:
    """The first word of every absolute import in a file, wherever it stands."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).partition(".")[0]


def files_of(folder: str) -> set[str]:
    """What a folder holds on disk but for caches, relative to the checkout."""
    return {
        path.as_posix()
        for path in (found.relative_to(CHECKOUT) for found in (CHECKOUT / folder).rglob("*"))
        if (CHECKOUT / path).is_file() and not any(map(is_cache, path.parts))
    }


def is_cache(name: str) -> bool:
    return name == "__pycache__" or (name.startswith(".") and name.endswith("_cache"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> ZipFile:
    """The wheel as `make build` makes it, without asking any package index."""
    dist = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(dist), str(CHECKOUT)]
    subprocess.run(command, check=True)
    (file,) = dist.iterdir()
    return ZipFile(file)


def test_imports_follow_the_arrows():
    """As a program of its own: it would silence this process's loggers."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-cache"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_engine_needs_the_standard_library_alone():
    allowed = sys.stdlib_module_names | {"baohuang"}
    strangers = {
        (str(file.relative_to(CHECKOUT)), root)
        for file in (CHECKOUT / "engine").rglob("*.py")
        for root in imported_roots(file)
        if root not in allowed
    }
    assert strangers == set()


def test_the_engine_never_prints():
    """Records go to standard output, so a word from the engine would spoil them."""
    for file in (CHECKOUT / "engine").rglob("*.py"):
        names = {
            n.id for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Name)
        }
        assert names.isdisjoint({"print", "input", "open", "breakpoint"}), file


def test_the_wheel_holds_the_mapped_folders_and_nothing_else(wheel):
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == {
        f"baohuang/{file}" for folder in FOLDERS.values() for file in files_of(folder)
    }


def test_a_folder_keeps_its_name_in_the_wheel():
    assert {f"baohuang/{folder}": folder for folder in FOLDERS.values()} == FOLDERS


def test_the_wheel_installs_the_command(wheel):
    (name,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert "baohuang=baohuang.api.cli:main" in wheel.read(name).decode().replace(" ", "")


def test_the_lock_names_no_place_of_its_own():
    """A lock that points to somebody's disk or index installs on one machine alone."""
    for lock in CHECKOUT.glob("requirements*.txt"):
        text = lock.read_text("utf-8")
        assert not any(
            word in text for word in ("file:", "http:", "https:", "--index", "--find-links")
        ), lock
