"""One way to misbehave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..remote.faults import Kind
from .scripted import Script


@dataclass(frozen=True, slots=True)
class Behaviour:
    """`kind`: the fault that it is, charged to the bot; `ok` if the answer counts all the same.

    `scheme`: how its URL begins. `certified`: it speaks TLS, with a certificate nobody has signed.
    """

    make: Callable[[], Script]
    kind: Kind | Literal["ok"]
    scheme: Literal["http", "https"] = "http"
    certified: bool = False
