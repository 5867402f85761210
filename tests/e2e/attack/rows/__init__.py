"""Every attack of the suite, by name. A row is a function that gets an attacker.Attack; its docstring states its
purpose."""
import importlib
import resource
from dataclasses import dataclass
from typing import Callable

ROWS = {}

# The connections of attacks that have very many: where few files may be open, more would only be refused.
MANY = min(1_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 4)


@dataclass(frozen=True)
class Row:
    name: str
    run: Callable
    options: tuple = ()          # for the daemon
    ends_under_attack: bool = False  # SIGTERM is sent during the attack, in the short form, too
    long_only: bool = False
    address_space_bytes: int | None = None  # how much more the process may map than when idle
    tls: bool = False            # the daemon has a listener with TLS, too: Attack.tls_port
    tls_too: bool = False        # it also runs over TLS, in the short form, too
    plain_only: bool = False     # it can't: it polls its sockets, or counts connections refused before they speak
    users: bool = False          # it has users, those of accounts.py

    @property
    def can_use_tls(self):
        return not self.plain_only and not self.tls

    @property
    def purpose(self):
        return " ".join((self.run.__doc__ or "").split())


def row(**settings):
    def enlist(function):
        assert function.__name__ not in ROWS, function.__name__
        ROWS[function.__name__] = Row(function.__name__, function, **settings)
        return function

    return enlist


for module in ("heads", "framing", "browsers", "connections", "documents", "scans", "operators", "filters", "paths",
               "distinct_paths", "streams", "nosy", "readers", "replays", "subscriptions", "memory", "tls", "users"):
    importlib.import_module(f"rows.{module}")
