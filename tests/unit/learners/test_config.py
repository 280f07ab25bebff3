"""Configurations: layers, and one sentence for whatever is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfmate.presets
from selfmate.learners.config import LARGEST_FILE, read_config, settings_of
from unit.learners import toy
from unit.learners.toy import TOY
from unit.learners.wrong_settings import wrong_settings

WRONG = list(wrong_settings(toy.Config))
KEYS = list(toy.Config.model_fields)


@pytest.fixture(autouse=True)
def _toy_presets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(selfmate.presets, "FOLDER", Path(toy.__file__).parent / "presets")
        yield


def read_toy(**layers: object) -> toy.Config:
    config = read_config(TOY, **layers)  # type: ignore[arg-type]
    assert isinstance(config, toy.Config)
    return config


def complaint(**layers: object) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - callers look at it
        read_toy(**layers)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_later_layers_win(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("batch = 7\nrate = 0.3\nseed = 8\nhidden = [9, 8, 7]\n", "utf-8")
    assert read_toy().changed() == {}
    changed = {"episodes": 300, "checkpoint_every": 4, "stumble_at": 3}
    assert read_toy(preset="try").changed() == changed
    config = read_toy(preset="try", file=file, sets=["batch=9", "rule=jump", "batch=10"], seed=3)
    assert config.changed() == {
        "seed": 3,
        "checkpoint_every": 4,
        "episodes": 300,
        "stumble_at": 3,
        "batch": 10,
        "rate": 0.3,
        "rule": "jump",
        "hidden": (9, 8, 7),
    }


def test_there_are_wrong_settings_by_the_hundred() -> None:
    assert len(WRONG) >= 100
    assert {key for key, _ in WRONG} == set(KEYS)


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_wrong_setting_is_named_with_what_is_allowed(
    key: str, value: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"{key} = {value}\n", "utf-8")
    allowed = settings_of(toy.Config)[key].allowed
    for layers in ({"file": file}, {"sets": [f"{key}={value}"]}):
        text = complaint(**layers)
        assert text.startswith(f"{key} cannot be ")
        assert text.endswith(f"allowed is {allowed}")


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("seed", "a whole number from 0 to 9223372036854775807"),
        ("keep_last", "a whole number of at least 1"),
        ("batch", "a whole number of at least 1 and below 1000"),
        ("rate", "a number above 0 and up to 1"),
        ("noisy", "true or false"),
        ("rule", "'walk' or 'jump'"),
        ("hidden", "a list of 1 or more entries such as [4, 4], each a whole number of at least 1"),
        ("label", "a text"),
    ],
)
def test_what_is_allowed_is_said_in_words(key: str, allowed: str) -> None:
    assert settings_of(toy.Config)[key].allowed == allowed


@pytest.mark.parametrize(
    ("key", "kind", "least", "most", "choices"),
    [
        ("seed", "whole", 0, 2**63 - 1, ()),
        ("batch", "whole", 1, None, ()),
        ("rate", "number", None, 1, ()),
        ("noisy", "switch", None, None, ()),
        ("rule", "choice", None, None, ("walk", "jump")),
        ("hidden", "list", None, None, ()),
        ("label", "text", None, None, ()),
    ],
)
def test_a_form_can_be_drawn(
    key: str, kind: str, least: float | None, most: float | None, choices: tuple[str, ...]
) -> None:
    setting = settings_of(toy.Config)[key]
    assert (setting.kind, setting.least, setting.most) == (kind, least, most)
    assert setting.choices == choices


@pytest.mark.parametrize("key", KEYS)
def test_a_misspelt_setting_suggests_the_nearest_and_lists_all(key: str) -> None:
    misspelt = key[:2] + key[3:]
    text = complaint(sets=[f"{misspelt}=1"])
    assert f"no setting '{misspelt}'" in text
    assert f"did you mean {key}? there are: {', '.join(KEYS)}" in text


def test_what_is_near_nothing_suggests_nothing() -> None:
    assert "did you mean" not in complaint(sets=["xyzzy=3"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"rate = ", "is no TOML file"),
        (b"rate: 0.5", "is no TOML file"),
        (b"rate = 0.1\nrate = 0.2", "is no TOML file"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"batch = " + b"1" * 5_000, "is no TOML file"),
        (b"hidden = " + b"[" * 100_000, "is no TOML file"),
        (b'{"rate": ', "is no JSON file"),
        (b'{"hidden": ' + b"[" * 100_000, "is no JSON file"),
        (b"#" * (LARGEST_FILE + 1), f"at most {LARGEST_FILE} are read"),
        (b"batch = 0x" + b"f" * 5_000, "batch cannot be 0xfff"),
        (b"[more]\nrate = 0.1", "has a section [more]; allowed are [pretrain] and [train]"),
        (b"rate = 0.1\n[pretrain]\nrate = 0.2", "has no section [train], only [pretrain]"),
        (b"[train]\nsede = 1", "toy has no setting 'sede'"),
        (b"learner = 'ddqn'\n[config]\nseed = 1", "is for the learner 'ddqn', not for 'toy'"),
        (b"learner = 'toy'\n[config]\nsede = 1", "toy has no setting 'sede'"),
        (b"learner = 'toy'\nconfig = 3", "toy has no setting"),
    ],
)
def test_a_bad_file_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(content)
    text = complaint(file=file)
    assert message in text
    assert str(file) in text


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml", Path("/dev/null")):
        assert f"there is no file {path}" in complaint(file=path)


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    toml, json = tmp_path / "mine.toml", tmp_path / "mine.json"
    toml.write_text("rate = 0.25\nhidden = [3, 4]\n", "utf-8")
    json.write_text('{"rate": 0.25, "hidden": [3, 4]}', "utf-8")
    assert read_toy(file=json) == read_toy(file=toml) != read_toy()


def test_the_file_of_a_run_is_a_configuration(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('learner = "toy"\n\n[config]\nseed = 5\nhidden = [3]\n', "utf-8")
    assert read_toy(file=file).changed() == {"seed": 5, "hidden": (3,)}


@pytest.mark.parametrize(
    "text",
    [
        "rate = 0.25\nseed = 3\n[pretrain]\nother = 1\n[train]\nseed = 5",
        '{"train": {"seed": 5}, "rate": 0.25, "pretrain": {"other": 1}}',
    ],
)
def test_a_file_for_both_phases_has_a_section_for_each(text: str, tmp_path: Path) -> None:
    file = tmp_path / "both.toml"
    file.write_text(text, "utf-8")
    assert read_toy(file=file).changed() == {"rate": 0.25, "seed": 5}


@pytest.mark.parametrize("text", ["rate", "", "=", "=3", " =3"])
def test_bad_set_syntax_is_refused(text: str) -> None:
    assert complaint(sets=[text]) == f"--set takes key=value, not {text!r}"


def test_an_unknown_preset_lists_what_there_is() -> None:
    assert read_config(TOY, preset="default") == read_config(TOY)
    assert complaint(preset="large") == "toy has no preset 'large'; there are: default, try"
    assert "no preset '../toy-try'" in complaint(preset="../toy-try")


def test_seeds_from_the_command_line_are_checked_too() -> None:
    assert complaint(seed=-1).startswith("seed cannot be -1 (--seed)")


def test_settings_that_contradict_each_other_have_their_own_sentence() -> None:
    assert complaint(sets=["episodes=5"]) == "batch 20 is more than the 5 episodes"


def test_configurations_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_toy().seed = 2


@given(
    seed=st.integers(0, 2**63 - 1),
    rate=st.floats(0, 1, exclude_min=True, allow_subnormal=False),
    noisy=st.booleans(),
    hidden=st.lists(st.integers(1, 10**6), min_size=1, max_size=5),
)
def test_what_is_set_arrives(seed: int, rate: float, noisy: bool, hidden: list[int]) -> None:
    texts = [f"seed={seed}", f"rate = {rate!r}", f"noisy={str(noisy).lower()}", f"hidden={hidden}"]
    config = read_config(TOY, sets=texts)
    assert config.model_dump(include={"seed", "rate", "noisy", "hidden"}) == {
        "seed": seed,
        "rate": rate,
        "noisy": noisy,
        "hidden": tuple(hidden),
    }


@given(st.sampled_from(KEYS), st.text(max_size=40))
def test_any_text_is_read_or_refused_in_one_sentence(key: str, value: str) -> None:
    try:
        config = read_config(TOY, sets=[f"{key}={value}"])
    except ValueError as error:
        said = str(error)
    else:
        assert config.model_fields_set == {key}
        return
    assert said.startswith((f"{key} cannot be ", "batch 20 is more than"))
    assert "\n" not in said
