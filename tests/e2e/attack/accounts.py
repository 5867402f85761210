"""The users of the daemons that have any: the attackers' own, and quiet ones."""
import functools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from users_file import basic, bearer, hash_password, stored_token, write_users  # noqa: E402,F401

PASSWORD = "the harbour at night"
TOKEN = "slt_Attacker01_" + "t" * 43
OLD_TOKEN = "slt_Attacker02_" + "t" * 43
USERS = ("mallory", *(f"quiet{n}" for n in range(8)))


@functools.cache
def folder():
    return tempfile.TemporaryDirectory()


@functools.cache
def users_options():
    """Those of a daemon with these users. To check their passwords takes the memory that `sluice user` makes them take,
    and a fifth of the time."""
    hashed = hash_password(PASSWORD, ln=14, r=8, p=1)
    rights = {"subscribe": ["attack"], "publish": ["attack"]}
    users = {name: {"password": hashed, **rights} for name in USERS}
    users["mallory"]["tokens"] = [stored_token(TOKEN, expires=None), stored_token(OLD_TOKEN, "2020-01-01T00:00:01Z")]
    path = write_users(Path(folder().name) / "users.yaml", users)
    return (f"auth.users={path}",)
