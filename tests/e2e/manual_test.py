#!/usr/bin/env python3
"""Manual pages, and completion in bash, zsh and fish: the client prints them from what --help is printed from."""
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from client_process import end_session, environment, sluice, status_of, written_on
from sluice_process import TIMEOUT_S

SOURCE = Path(__file__).resolve().parents[2]
PAGES = {"sluice": 1, "sluiced": 8, "sluice.yaml": 5, "sluice-filters": 7}


def page(name):
    done = sluice("manual", name)
    if done.returncode or done.stderr:
        raise AssertionError(done)
    return done.stdout


def sluiced(option):
    return subprocess.run([os.environ["SLUICED"], option], capture_output=True, text=True, check=True).stdout


def plain(roff):
    """The text of a page, without macros and escapes."""
    text = re.sub(r"^\.(?:TP|PP|nf|fi|br|nh|ad l)$|^\.(?:SH|SS) ", "", roff, flags=re.M)
    text = re.sub(r"\\f.|\\&", "", text)
    text = re.sub(r"\\\[u([0-9A-F]+)\]", lambda code: chr(int(code[1], 16)), text)
    for escape, character in (("\\(aq", "'"), ("\\(dq", '"'), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"),
                              ("\\-", "-"), ("\\e", "\\")):
        text = text.replace(escape, character)
    return text


def words(text):
    return Counter(re.findall(r"\w+", text))


def commands(*path):
    """Each command with its --help, and those below it."""
    text = sluice(*path, "--help").stdout
    yield path, text
    for name in re.findall(r"^  ([a-z]+) ", text.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M):
        yield from commands(*path, name)


class Manual(unittest.TestCase):
    def test_no_tool_warns(self):
        tools = {"mandoc": ["mandoc", "-Tlint", "-Wwarning"], "groff": ["groff", "-ww", "-man", "-Tutf8", "-z"],
                 "man": ["man", "--warnings=w", "-l", "-"]}
        missing = [name for name in tools if not shutil.which(name)]
        for tool in tools.keys() - missing:
            for name in PAGES:
                with self.subTest(tool=tool, page=name):
                    done = subprocess.run(tools[tool], input=page(name), capture_output=True, text=True,
                                          timeout=TIMEOUT_S, env=environment(LC_ALL="C.UTF-8", MANWIDTH="80"))
                    said = (done.stdout if tool == "mandoc" else "") + done.stderr
                    # The pages have no date, so that the same source makes the same page.
                    said = [line for line in said.splitlines() if "missing date" not in line]
                    self.assertEqual(said, [])
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}")

    def test_the_same_page_everywhere(self):
        for name, section in PAGES.items():
            text = page(name)
            self.assertTrue(text.isascii())
            self.assertTrue(text.startswith(f".TH {name.upper()} {section} ".replace("-", "\\-")), text[:80])
            elsewhere = {"HOME": "/nowhere", "SLUICE_SERVER": "http://other", "TZ": "Asia/Tokyo"}
            self.assertEqual(sluice("manual", name, cwd="/", env=elsewhere).stdout, text)
        self.assertEqual(sluice("manual").stdout, page("sluice"))

    def test_every_option_of_every_command(self):
        text = page("sluice")
        shown = {title: plain(body) for title, body in re.findall(r'^\.SS "(.+)"\n((?:(?!\.S[SH] ).*\n)*)', text, re.M)}
        general = plain(text.partition('.SH "OPTIONS"')[2].partition(".SH")[0])
        for path, help_text in commands():
            body = shown[" ".join(("sluice", *path))] if path else general
            options = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", help_text, re.M)
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(option, body, path)
        examples = text.partition('.SH "EXAMPLES"\n')[2].splitlines()
        self.assertEqual(len(examples), len(set(examples)))
        for name in ("SLUICE_SERVER", "NO_COLOR"):
            self.assertIn(f".TP\n\\fB{name}\\fR\n", text)
        for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES",
                      "SEE ALSO"):
            self.assertIn(f'.SH "{title}"\n', text)

    def test_every_option_of_the_daemon(self):
        text = plain(page("sluiced"))
        for option in re.findall(r"^  .*?(--[a-z-]+)", sluiced("--help"), re.M):
            self.assertIn(option, text)
        options = plain(page("sluice.yaml"))
        yaml = sluiced("--print-defaults")
        section = ""
        for line in yaml.splitlines():
            if name := re.match(r"([a-z_]+):", line):
                section = name[1]
            elif name := re.match(r"  ([a-z_]+): *(?:#|$|(\S+))", line):
                self.assertRegex(options, rf"(?m)^{section}\.{name[1]}(?:: {re.escape(name[2] or '')}|$)")
        self.assertEqual(words(re.sub(r"[#`]", " ", yaml)) - words(options), Counter())

    def test_nothing_of_the_filter_reference_is_lost(self):
        reference = (SOURCE / "protocol/filter/README.md").read_text(encoding="utf-8")
        reference = reference.partition("\n## How it is compiled")[0]
        reference = re.sub(r"^# .*\n|^\|.*\n(?=\| ---)", "", reference, flags=re.M)  # the title, and those of columns
        reference = re.sub(r"\]\((?!https:)[^)]*\)", "]", reference)
        lost = words(reference.upper()) - words(plain(page("sluice-filters")).upper())
        self.assertEqual(lost, Counter())

    def test_page_that_does_not_exist(self):
        done = sluice("manual", "sluicer")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("PAGE must be sluice, sluiced, sluice.yaml or sluice-filters, not sluicer", done.stderr)


FILES = ["notes.txt", "words.txt"]  # what there is
NOTHING = []

# What is typed before the Tab key, and what is offered.
COMPLETIONS = (
    ("sluice pub", ["publish"]),
    ("sluice sub", ["subscribe", "subscriptions"]),
    ("sluice --vers", ["--version"]),
    ("sluice user ", ["add", "list", "passwd", "remove", "token"]),
    ("sluice user add --fi", ["--file", "--filter"]),
    ("sluice match --forma", ["--format"]),
    ("sluice match --format ", ["json", "source", "title", "xml"]),
    ("sluice match --format=", ["json", "source", "title", "xml"]),
    ("sluice match --format=x", ["xml"]),
    ("sluice match --format xml --color n", ["never"]),
    ("sluice match --no-colou", NOTHING),
    ("sluice match ", NOTHING),  # a filter
    ("sluice match title ", FILES),
    ("sluice match --json ", NOTHING),
    ("sluice match --json title ", FILES),
    ("sluice match --format json title wo", ["words.txt"]),
    ("sluice match --format=json title wo", ["words.txt"]),
    ("sluice match -- title ", FILES),
    ("sluice match --timeout ", NOTHING),
    ("sluice publish --cacert no", ["notes.txt"]),
    ("sluice recurrence --plot no", ["notes.txt"]),
    ("sluice search no", ["notes.txt"]),
    ("sluice publish --timeout 5 - no", ["notes.txt"]),
    ("sluice status ", NOTHING),
    ("sluice streams purge news --bef", ["--before"]),
    ("sluice streams purge --serv", ["--server"]),
    ("sluice store import ", FILES),
    ("sluice help expl", ["explain"]),
    ("sluice manual ", ["sluice", "sluice-filters", "sluice.yaml", "sluiced"]),
    ("sluice completion ", ["bash", "fish", "zsh"]),
    ("sluice nothing ", NOTHING),
    ("sluiced --co", ["--config"]),
    ("sluiced --config w", ["words.txt"]),
    ("sluiced -c w", ["words.txt"]),
    ("sluiced ", NOTHING),
)

# Splits the line as readline does, at blanks and "=", and prints what is offered. Names of files bash completes itself.
IN_BASH = r"""
source "$1"
compopt() { compgen -f -- "${COMP_WORDS[COMP_CWORD]}"; }
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 != *[\ ] ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
complete -p "${COMP_WORDS[0]}" >/dev/null || exit
_sluice "${COMP_WORDS[0]}"
printf '%s\n' "${COMPREPLY[@]}"
"""

# Completes as soon as a line can be edited, writes down what is offered, and ends.
IN_ZSH = r"""
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' completer _complete
PS1= PROMPT_EOL_MARK=
compadd() {
    local -a offered
    if [[ ${@[(i)-(O|A|D)]} -le $# ]]; then builtin compadd "$@"; return; fi
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- $offered >>$OFFERED
    builtin compadd "$@"
}
zle-line-init() {
    BUFFER=$TYPED CURSOR=$#TYPED
    zle list-choices
    exit 0
}
zle -N zle-line-init
"""


class Completion(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.files = self.folder / "files"
        self.files.mkdir()
        for name in FILES:
            (self.files / name).touch()

    def script(self, shell, path):
        done = sluice("completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path.parent.mkdir(exist_ok=True)
        path.write_text(done.stdout, encoding="utf-8")

    def check(self, offered_by):
        for typed, expected in COMPLETIONS:
            with self.subTest(typed):
                self.assertEqual(sorted(offered_by(typed)), sorted(expected))

    def shell(self, *command):
        done = subprocess.run(command, cwd=self.files, capture_output=True, text=True, timeout=TIMEOUT_S,
                              env=environment(HOME=str(self.folder)))
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        script = self.folder / "completion"
        self.script("bash", script)
        self.check(lambda typed: self.shell("bash", "--norc", "-c", IN_BASH, "bash", str(script), typed))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = self.folder / "completion.fish"
        self.script("fish", script)

        def offered(typed):
            lines = self.shell("fish", "--no-config", "-c",
                               f"source {script}; complete -C '{typed}' | string replace -r '\\t.*' ''")
            return [line.removeprefix(typed.split()[-1].partition("=")[0] + "=") for line in lines]
        self.check(offered)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.script("zsh", self.folder / "functions" / "_sluice")
        (self.folder / ".zshrc").write_text(f"fpath=({self.folder}/functions $fpath)\n" + IN_ZSH, encoding="utf-8")

        def offered(typed):
            path = self.folder / "offered"
            path.write_text("")
            ours, theirs = pty.openpty()
            process = subprocess.Popen(["zsh", "-o", "no_global_rcs", "-i"], cwd=self.files, start_new_session=True,
                                       stdin=theirs, stdout=theirs, stderr=theirs,
                                       env=environment(ZDOTDIR=str(self.folder), TYPED=typed, OFFERED=str(path)))
            self.addCleanup(end_session, process)
            os.close(theirs)
            shown = b"".join(written_on(ours))
            os.close(ours)
            self.assertEqual(status_of(process), 0, shown)
            words = path.read_text().split()
            # zsh offers options, too, where a command has no arguments.
            return [word for word in words if typed.split(" ")[-1].startswith("-") or not word.startswith("-")]
        self.check(offered)


if __name__ == "__main__":
    unittest.main()
