"""`selfmate conversion`: a table, JSON, and sentences for what cannot be."""

import json

from unit.cli.process import selfmate


def test_a_table_and_json_say_the_same() -> None:
    table = selfmate("conversion", "teacher:depth=2", "--games", "10")
    assert table.returncode == 0
    assert "king and queen" in table.stdout
    told = json.loads(selfmate("conversion", "teacher:depth=2", "--games", "10", "--json").stdout)
    assert told["player"] == "teacher:depth=2"
    assert told["queen"]["games"] == 10
    assert told["queen"]["converted"] > 0
    assert told["queen"]["moves"] >= told["queen"]["exact_moves"]
    assert f"{told['queen']['converted']} of 10" in table.stdout


def test_what_cannot_be_is_said() -> None:
    unknown = selfmate("conversion", "nobody")
    assert unknown.returncode == 2
    assert "nobody" in unknown.stderr
    assert selfmate("conversion", "random", "--games", "0").returncode == 2
