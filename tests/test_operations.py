"""The page for operators has every setting as the program has it."""

from pathlib import Path

from baohuang.api.config import SETTINGS

PAGE = Path(__file__).parent.parent / "docs" / "operations.md"


def test_the_settings_of_the_page_are_the_programs():
    rows = [line.split("|")[1:4] for line in PAGE.read_text("utf-8").splitlines() if "| `" in line]
    shown = {name.strip(" `"): (default.strip(" `"), text.strip()) for name, default, text in rows}
    for setting in SETTINGS:
        default = ",".join(setting.default) if setting.type == "tuple" else str(setting.default)
        assert shown[setting.name] == (default, setting.meaning), setting.name
