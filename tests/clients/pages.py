"""The pages about clients, as programs: their code, in the order in which it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def program(page: str, language: str) -> str:
    """All blocks of a language, one after the other."""
    text = (ROOT / "docs" / "clients" / page).read_text("utf-8")
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL))


def make_client(language: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Generate a client, as `make clients` does."""
    return subprocess.run(
        [str(ROOT / ".ci" / "clients" / "make"), language, str(folder)],
        env={**os.environ, "PYTHON": sys.executable},
        check=False,
        capture_output=True,
        text=True,
    )
