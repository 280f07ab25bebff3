"""`selfmate conversion`: table, JSON and bad input."""

import json

from unit.cli.process import selfmate


def test_table_and_json_agree() -> None:
    table = selfmate("conversion", "teacher:depth=2", "--games", "10")
    assert table.returncode == 0
    assert "king and queen" in table.stdout
    report = json.loads(selfmate("conversion", "teacher:depth=2", "--games", "10", "--json").stdout)
    assert report["player"] == "teacher:depth=2"
    assert report["queen"]["games"] == 10
    assert report["queen"]["converted"] > 0
    assert report["queen"]["moves"] >= report["queen"]["exact_moves"]
    assert f"{report['queen']['converted']} of 10" in table.stdout


def test_bad_input_is_refused() -> None:
    unknown = selfmate("conversion", "nobody")
    assert unknown.returncode == 2
    assert "nobody" in unknown.stderr
    assert selfmate("conversion", "random", "--games", "0").returncode == 2
