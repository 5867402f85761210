"""Users files for tests: passwords and tokens as the daemon stores them. Standard library only."""
import base64
import hashlib
import json
import os
import secrets
import string
from pathlib import Path

LN, R, P = 10, 8, 1  # the cheapest that the daemon takes: tests check many passwords
LETTERS = string.ascii_letters + string.digits


def unpadded(data):
    return base64.b64encode(data).decode().rstrip("=")


def hash_password(password, ln=LN, r=R, p=P):
    """A PHC string."""
    salt = os.urandom(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=1 << ln, r=r, p=p, dklen=32, maxmem=128 << 20)
    return f"$scrypt$ln={ln},r={r},p={p}${unpadded(salt)}${unpadded(digest)}"


def make_token():
    """A token's text, and its id."""
    ident = "".join(secrets.choice(LETTERS) for _ in range(10))
    return f"slt_{ident}_" + base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("="), ident


def stored_token(text, expires="2099-01-01T00:00:00Z"):
    """What the file has of a token. `expires`: None for never."""
    entry = {"id": text.split("_")[1], "digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
             "created": "2020-01-01T00:00:00Z"}
    return entry if expires is None else {**entry, "expires": expires}


def write_users(path, users, roles=None):
    """JSON is YAML, too."""
    path = Path(path)
    whole = {"users": users} if roles is None else {"roles": roles, "users": users}
    beside = path.with_name(path.name + ".new")
    beside.touch(0o600)
    beside.write_text(json.dumps(whole, indent=1))
    beside.rename(path)
    return path


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}
