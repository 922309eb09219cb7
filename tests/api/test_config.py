"""Settings from the environment, and the vault that seals with one of them."""

from __future__ import annotations

import stat

import pytest
from cryptography.fernet import Fernet

from baohuang.api.arena import Arena
from baohuang.api.config import SETTINGS, Config, ConfigError
from baohuang.api.db import Database
from baohuang.api.preflight import require_usable
from baohuang.api.vault import SealBroken, Vault, secret_keys

KEY, OTHER = (Fernet.generate_key().decode() for _ in range(2))


def test_without_an_environment_the_defaults_hold():
    assert Config.from_env({}) == Config()
    assert Config().database_url == "sqlite:///baohuang.db"


def test_empty_variables_count_as_unset():
    assert Config.from_env({"BAOHUANG_PORT": "", "DATABASE_URL": ""}) == Config()


def test_values_have_the_type_of_their_default():
    config = Config.from_env(
        {"BAOHUANG_PORT": " 80 ", "BAOHUANG_ALLOW": "10.0.0.0/8:80, 127.0.0.1/32,"}
    )
    assert config.port == 80
    assert config.allow == ("10.0.0.0/8:80", "127.0.0.1/32")


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "0x10"])
def test_a_wrong_number_names_the_setting(value):
    with pytest.raises(ConfigError, match="BAOHUANG_PORT"):
        Config.from_env({"BAOHUANG_PORT": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BAOHUANG_PORT", "65536"),
        ("BAOHUANG_WORKERS", "0"),
        ("BAOHUANG_THREADS", "0"),
        ("BAOHUANG_POOL_SIZE", "0"),
        ("BAOHUANG_MATCHES", "0"),
        ("BAOHUANG_LEASE_S", "0"),
        ("BAOHUANG_STREAMS", "-1"),
    ],
)
def test_a_number_out_of_bounds_names_the_setting(name, value):
    with pytest.raises(ConfigError, match=rf"^{name} must be \d+ at (least|most), not {value}\.$"):
        Config.from_env({name: value})


def test_secrets_stay_out_of_the_repr():
    config = Config(database_url="postgresql://u:hunter2@h/d", secret_key=KEY)
    assert "hunter2" not in repr(config)
    assert KEY not in repr(config)


def test_the_table_has_every_setting_once_with_a_meaning():
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    assert all(setting.meaning and setting.type in ("str", "int", "tuple") for setting in SETTINGS)
    assert all(name == "DATABASE_URL" or name.startswith("BAOHUANG_") for name in names)


@pytest.mark.parametrize("url", ["nonsense", "mysql://h/d", "", "://"])
def test_an_unusable_database_url_is_refused_without_repeating_it(url):
    with pytest.raises(ConfigError, match="DATABASE_URL"):
        Database(url)


def test_a_wrong_exception_of_the_guard_names_the_setting():
    with pytest.raises(ConfigError, match="BAOHUANG_ALLOW"):
        Arena.of(Config(database_url="sqlite://", secret_key=KEY, allow=("localhost",)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BAOHUANG_ALLOW", "localhost"),
        ("BAOHUANG_OWN", "a b"),
        ("BAOHUANG_HOST", "a b"),
        ("BAOHUANG_HOST", "localhost"),
        ("BAOHUANG_HOST", "fe80::1%eth0"),
        ("BAOHUANG_CONTROL_URL", "control"),
        ("BAOHUANG_CONTROL_URL", "http://127.0.0.1:9000/"),
        ("BAOHUANG_LOG_LEVEL", "loud"),
        ("DATABASE_URL", "nonsense"),
    ],
)
def test_before_the_start_a_wrong_setting_is_named(name, value):
    with pytest.raises(ConfigError, match=f"^{name}"):
        require_usable(Config.from_env({name: value}))


def test_before_the_start_good_settings_are_let_through():
    require_usable(Config())
    require_usable(Config(host="::1"))
    control = {"BAOHUANG_CONTROL_URL": "http://127.0.0.1:9000/", "BAOHUANG_ALLOW": "127.0.0.1/32"}
    require_usable(Config.from_env(control))


def test_sealed_bytes_open_again_and_do_not_show_what_they_hold():
    vault = Vault(KEY)
    sealed = vault.seal(b"whsec_abc")
    assert b"whsec" not in sealed
    assert sealed != vault.seal(b"whsec_abc")
    assert vault.open(sealed) == b"whsec_abc"


def test_a_new_key_in_front_still_opens_the_old_seal():
    sealed = Vault(KEY).seal(b"x")
    assert Vault(OTHER, KEY).open(sealed) == b"x"
    with pytest.raises(SealBroken):
        Vault(KEY).open(Vault(OTHER, KEY).seal(b"x"))


def test_a_changed_seal_does_not_open():
    sealed = bytearray(Vault(KEY).seal(b"x"))
    sealed[-2] ^= 1
    with pytest.raises(SealBroken):
        Vault(KEY).open(bytes(sealed))


def test_derived_keys_differ_by_purpose_and_by_key():
    keys = {Vault(key).derive(purpose) for key in (KEY, OTHER) for purpose in ("cursor", "other")}
    assert len(keys) == 4
    assert all(len(key) == 32 for key in keys)


@pytest.mark.parametrize("key", ["short", "é" * 44, "x" * 44, ""])
def test_a_wrong_key_is_refused_without_repeating_it(key):
    with pytest.raises(ConfigError, match="BAOHUANG_SECRET_KEY") as error:
        Vault(key)
    assert not key or key not in str(error.value)


def test_with_sqlite_a_key_file_is_made_once_for_its_owner_alone(tmp_path):
    config = Config(database_url=f"sqlite:///{tmp_path}/a.sqlite3")
    first = secret_keys(config)
    assert secret_keys(config) == first
    file = tmp_path / "a.sqlite3.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]
    assert Vault.of(config).open(Vault(*first).seal(b"x")) == b"x"


def test_with_postgresql_a_key_must_be_given():
    with pytest.raises(ConfigError, match="BAOHUANG_SECRET_KEY"):
        secret_keys(Config(database_url="postgresql://h/d"))


def test_keys_are_separated_by_commas():
    assert secret_keys(Config(secret_key=f"{OTHER}, {KEY},")) == [OTHER, KEY]
