#!/usr/bin/env python3
"""sluice user: it edits a users file and leaves all else in it as it is."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import asked, sluice, status_of

HASH = "$scrypt$ln=10,r=1,p=1$c2FsdA$HOHvBJ75vpux092WGOkWFE4vYN79EjfRiAPxz+SesHM"
FILE = """\
# Who may use the broker of the harbour.

roles:
  desk:                       # in the newsroom
    subscribe: ["news.*"]

users:
  # the printer
  bob:
    certificate: true  # by its common name
    # bob has no password

  # the desk
  "alice":
    password: "%s"  # to be changed
    roles: [desk]

    subscribe:
      - prices
      # and one more
      - {streams: [fish], filter: "price < 90"}

# the end
""" % HASH


class UserCommand(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "users.yaml"

    def write(self, text=FILE):
        self.path.write_text(text)
        self.path.chmod(0o600)

    def user(self, *arguments, **more):
        return sluice("user", *arguments, env={"SLUICE_USERS_FILE": str(self.path)}, **more)

    def done(self, *arguments, **more):
        done = self.user(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refusal(self, *arguments, **more):
        """The message of a command that changes nothing."""
        before = self.path.read_text() if self.path.exists() else None
        done = self.user(*arguments, **more)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(self.path.read_text() if self.path.exists() else None, before, arguments)
        return done.stderr

    def listed(self):
        return {user["name"]: user for user in map(json.loads, self.done("list", "--json").splitlines())}

    def test_add_makes_the_file(self):
        self.assertEqual(self.done("add", "alice", "--password-stdin", "--subscribe", "news.*", "--subscribe", "prices",
                                   "--publish", "prices", input="open sesame\n"), "alice: added\n")
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        text = self.path.read_text()
        self.assertTrue(text.startswith("# The users of a Sluice broker"))
        self.assertNotIn("open sesame", text)
        self.assertRegex(text, r'\nusers:\n  alice:\n    password: "\$scrypt\$ln=14,r=8,p=5\$[^"]+"\n'
                               r'    publish: \["prices"\]\n    subscribe: \["news\.\*", "prices"\]\n$')
        self.done("add", "bob@example.org", "--no-password", "--certificate", "--operate", "--role", "all",
                  "--manage", "*", "--subscribe", "fish", "--filter", 'category = "eu"')
        self.done("add", "null", "--no-password")
        users = self.listed()
        self.assertEqual(list(users), ["alice", "bob@example.org", "null"])
        self.assertEqual(users["bob@example.org"], {
            "name": "bob@example.org", "password": False, "tokens": [], "roles": ["all"], "publish": [],
            "subscribe": [{"streams": ["fish"], "filter": 'category = "eu"'}], "manage": ["*"], "certificate": True,
            "operate": True})
        self.assertEqual([name for name in os.listdir(self.folder)], ["users.yaml"])
        self.assertRegex(self.done("list"), r"(?m)^bob@example.org +- +0 +yes +all +- +fish \(filtered\) +\* +yes$")

    def test_what_is_not_changed_stays(self):
        self.write()
        self.done("add", "carol", "--no-password", "--role", "desk")
        self.assertEqual(self.path.read_text(),
                         FILE.replace("\n# the end", '  carol:\n    roles: ["desk"]\n\n# the end'))
        self.done("remove", "carol")
        self.assertEqual(self.path.read_text(), FILE)
        self.done("passwd", "alice", "--password-stdin", input="new")
        text = self.path.read_text()
        new = re.search(r'"\$scrypt[^"]+"', text)[0]
        self.assertEqual(text, FILE.replace(f'"{HASH}"', new))
        self.done("passwd", "bob", "--password-stdin", input="new\n")
        self.assertIn("  bob:\n    password: \"$scrypt", self.path.read_text())
        self.write()
        self.done("remove", "bob")
        self.assertEqual(self.path.read_text(), FILE.replace(
            "  bob:\n    certificate: true  # by its common name\n    # bob has no password\n", ""))
        self.done("remove", "alice")
        self.assertEqual(self.listed(), {})
        self.assertIn("\nusers: {}\n  # the printer\n", self.path.read_text())
        self.done("add", "dave", "--no-password")
        self.assertIn("\nusers: \n  dave:\n    roles: []\n", self.path.read_text())

    def test_tokens(self):
        self.write()
        tokens = [self.done("token", "bob").strip(),
                  self.done("token", "bob", "--expires", "90d", "--note", 'cron: "nightly" # 1').strip()]
        for token in tokens:
            self.assertRegex(token, r"^slt_[0-9A-Za-z]{10}_[0-9A-Za-z_-]{43}$")
            self.assertNotIn(token, self.path.read_text())
        first, second = self.listed()["bob"]["tokens"]
        self.assertEqual(set(first), {"id", "created"})
        self.assertEqual((second["id"], second["note"]), (tokens[1].split("_")[1], 'cron: "nightly" # 1'))
        self.assertRegex(second["expires"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        one = json.loads(self.done("token", "alice", "--json"))
        self.assertEqual(one["id"], one["token"].split("_")[1])
        self.assertEqual(self.done("token", "alice", "--revoke", one["id"]), f"alice: token {one['id']} revoked\n")
        self.assertIn("has no token with the id nosuch", self.refusal("token", "bob", "--revoke", "nosuch"))
        self.done("token", "bob", "--revoke", first["id"])
        self.assertEqual([token["id"] for token in self.listed()["bob"]["tokens"]], [second["id"]])
        self.done("token", "bob", "--revoke", second["id"])
        self.assertEqual(self.path.read_text(), FILE)
        self.done("add", "erin", "--no-password")
        only = json.loads(self.done("token", "erin", "--json"))
        self.done("token", "erin", "--revoke", only["id"])
        self.done("token", "erin")
        self.assertEqual(len(self.listed()["erin"]["tokens"]), 1)

    def test_refusals(self):
        add = ("add", "eve", "--no-password")
        for arguments, expected in (
            (("list",), "No such file"),
            (("add", "a:b", "--no-password"), "a user's name has 1 to 64 of the characters"),
            (("add", "..", "--no-password"), "(not just . or ..), not '..'"),
            ((*add, "--publish", "a b"), "--publish must be a stream's name, a prefix"),
            ((*add, "--role", "desk"), "there is no role 'desk' in the file; there are all, none"),
            ((*add, "--subscribe", "a", "--filter", "price <"), "--filter: "),
            ((*add, "--subscribe", "a", "--filter", "//item[1]"), "the user may not see"),
            ((*add, "--subscribe", "a", "--filter", "approx-contains(title, 'lamp', 1)"), "computed conditions"),
            ((*add, "--filter", "price < 9"), "--filter requires --subscribe"),
            (("token", "eve", "--expires", "90"), "--expires must be a duration up to 36500d, such as 90d, not 90"),
            (("token", "eve", "--note", "x" * 1001), "--note is longer than 1000 bytes"),
            (("add", "eve", "--password-stdin"), "the password is empty"),
        ):
            with self.subTest(arguments):
                self.assertIn(expected, self.refusal(*arguments, stdin=subprocess.DEVNULL))
        self.assertIn("expects one line", self.refusal("add", "eve", "--password-stdin", input="secret1\nsecret2\n"))
        self.assertIn("at most 1024 bytes", self.refusal("add", "eve", "--password-stdin", input="x" * 1025))
        self.assertIn("--password-stdin reads it", self.refusal("add", "eve", start_new_session=True))
        self.write()
        self.assertIn("users.yaml:14: there is already a user alice", self.refusal("add", "alice", "--no-password"))
        for command in ("passwd", "token", "remove"):
            self.assertIn("there is no user eve", self.refusal(command, "eve", *["--password-stdin"][:command == "passwd"],
                                                               input="x"))
        for text, where in (("users: {bob: {operate: true}}\n", "users.yaml:1:8: users is written in braces"),
                            ("users:\n  bob: {operate: true}\n", "users.yaml:2:8: the user bob is written in braces"),
                            ("users:\n  bob:\n    tokens: [{id: a, digest: b}]\n", "users.yaml:3:13: tokens of the user bob")):
            self.write(text)
            self.assertIn(where, self.refusal("token", "bob"))
        self.write("users:\n  a: {}\n  a: {}\n")
        self.assertIn("users.yaml:3:3: duplicate key", self.refusal("list"))

    def test_a_broker_s_configuration_is_not_edited(self):
        self.write("http:\n  port: 8081\n")
        self.path.chmod(0o644)
        for arguments in (("add", "zed", "--no-password"), ("list",)):
            self.assertIn('users.yaml:1:1: unknown option "http"; a users file has roles and users',
                          self.refusal(*arguments))
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o644)

    def test_list_tells_the_errors(self):
        self.write(FILE.replace(HASH, "open sesame"))
        done = self.user("list")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, "(?m)^bob ")
        self.assertRegex(done.stderr, r"^sluice: .*users\.yaml:15:15: users\.alice\.password: ")

    def test_a_file_that_the_broker_refuses_is_edited_with_a_warning(self):
        self.write(FILE.replace(HASH, "open sesame"))
        done = self.user("add", "carol", "--no-password")
        self.assertEqual((done.returncode, done.stdout), (0, "carol: added\n"))
        self.assertRegex(done.stderr, r"will not accept the file: .*users\.yaml:15:15: users\.alice\.password: ")
        self.assertNotIn("sesame", done.stderr)
        self.done("passwd", "alice", "--password-stdin", input="new")
        self.done("add", "dave", "--no-password")

    def test_a_file_that_others_could_read(self):
        self.write()
        self.path.chmod(0o644)
        link = self.folder / "link.yaml"
        link.symlink_to(self.path)
        done = sluice("user", "remove", "bob", "--file", str(link))
        self.assertEqual((done.returncode, done.stdout), (0, "bob: removed\n"))
        self.assertIn("others could read", done.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)

    def test_edits_at_the_same_time(self):
        self.write()
        edits = [subprocess.Popen([os.environ["SLUICE"], "user", "add", f"user{i}", "--no-password", "--file",
                                   str(self.path)], stdout=subprocess.DEVNULL) for i in range(8)]
        self.assertEqual([status_of(edit) for edit in edits], [0] * 8)
        self.assertEqual(set(self.listed()), {"alice", "bob", *(f"user{i}" for i in range(8))})

    def type_passwords(self, *keys):
        prompts = ("New password of tim: ", "The same again: ")
        return asked("user", "add", "tim", "--file", str(self.path), typed=zip(prompts, keys))

    def test_passwords_typed_on_a_terminal(self):
        status, shown = self.type_passwords(b"secret-1\r", b"secret-1\r")
        self.assertEqual(status, 0, shown)
        self.assertNotIn("secret", shown)
        self.assertTrue(self.listed()["tim"]["password"])
        self.path.unlink()
        status, shown = self.type_passwords(b"secret-1\r", b"secret-2\r")
        self.assertEqual(status, 2)
        self.assertIn("the passwords differ", shown)
        self.assertNotIn("secret", shown)
        status, shown = self.type_passwords(b"secret-1\x03")
        self.assertEqual(status, -2, shown)
        self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
