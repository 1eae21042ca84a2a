"""Runs the examples against a real service, whose demo workspace the environment names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
ANSWERS: dict[str, str] = json.loads((EXAMPLES / "answers.json").read_text())
SOURCES = Path(__file__).parents[1] / "src"


def test_each_answer_has_its_example() -> None:
    files = {path.stem.replace("_", "-") for path in (EXAMPLES / "python").glob("*.py")}
    assert files == set(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_example(name: str) -> None:
    script = EXAMPLES / "python" / (name.replace("-", "_") + ".py")
    ran = subprocess.run(
        [sys.executable, script], env=os.environ | {"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip().splitlines()[-1] == ANSWERS[name]
