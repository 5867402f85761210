"""Reads of a C++ or CUDA source what the checks need: its #includes, where it reads a clock, and what it declares at
namespace scope. It is not a compiler: it reads all branches of #if, skips other directives, and expands no macro.
"""
import re
from functools import cached_property
from typing import NamedTuple

SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
# A clock can be read without a header of its own.
_CLOCK_READ = re.compile(r"_clock::now\b|\b(std::time|clock_gettime|gettimeofday)\s*\(")
_NO_CODE = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                      r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_INCLUDE_OF_OURS = re.compile(r'[ \t]*#\s*include\s*""')  # once strings are empty
_INCLUDE_MARK = "@"  # stands in the code for an #include of ours
_TOKEN = re.compile(r"[A-Za-z_]\w*|::|\n|[^\s\w]|\d[\w.']*")
_TYPE_KEYS = {"class", "struct", "union", "enum"}


class Include(NamedTuple):
    line: int
    name: str
    angled: bool


class Declaration(NamedTuple):
    """Something declared at namespace scope. `namespace` leaves out unnamed ones; `hidden` says that there was one.
    `kind` is "forward" (`class X;`), "type" (a definition, or that of a specialisation), "include" (inside a namespace)
    or "other"; `name` is a type's, or that of the included file."""
    line: int
    namespace: str
    hidden: bool
    kind: str
    name: str


def _blank(found):
    """White space with the same lines."""
    return " " + "\n" * found[0].count("\n")


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.folder = path.rpartition("/")[0]
        self.unit = path.rpartition(".")[0]

    @cached_property
    def includes(self):
        found = ((number, _INCLUDE.match(line)) for number, line in enumerate(self.text.split("\n"), 1))
        return [Include(number, match[1] or match[2], match[1] is not None) for number, match in found if match]

    @cached_property
    def clock_reads(self):
        return [number for number, line in enumerate(self.text.split("\n"), 1) if _CLOCK_READ.search(line)]

    @cached_property
    def declarations(self):
        """The declarations at namespace scope, or None if the braces don't balance."""
        names = {include.line: include.name for include in self.includes if not include.angled}
        code = _NO_CODE.sub(lambda found: '""' if '"' in found[0][:2] else _blank(found), self.text)
        code = _DIRECTIVE.sub(lambda found: _INCLUDE_MARK if _INCLUDE_OF_OURS.match(found[0]) else _blank(found), code)
        return _Parser(code, names).run()


class _Parser:
    def __init__(self, code, names):
        self.names = names  # of included files, by line
        self.tokens, line = [], 1
        for found in _TOKEN.finditer(code):
            if found[0] == "\n":
                line += 1
            else:
                self.tokens.append((found[0], line))
        self.at = 0

    def run(self):
        found, scopes = [], []
        while self.at < len(self.tokens):
            token, line = self.tokens[self.at]
            if token == "}":
                if not scopes:
                    return None
                scopes.pop()
                self.at += 1
            elif token == ";":
                self.at += 1
            elif token == _INCLUDE_MARK:
                if scopes:
                    found.append(self._declaration(scopes, line, "include", self.names.get(line, "")))
                self.at += 1
            elif (opened := self._scope()) is not None:
                scopes.append(opened)
            else:
                head, has_block = self._statement()
                if declared := self._declared(head, has_block):
                    found.append(self._declaration(scopes, line, *declared))
        return None if scopes else found

    @staticmethod
    def _declaration(scopes, line, kind, name):
        names = [name for scope in scopes for name in scope]
        return Declaration(line, "::".join(filter(None, names)), "" in names, kind, name)

    def _scope(self):
        """Steps into a namespace or extern "C" block; the names it opens, "" for an unnamed one, or None."""
        end, words = self.at, []
        while end < len(self.tokens) and self.tokens[end][0] not in "{;=}(":
            words.append(self.tokens[end][0])
            end += 1
        if end == len(self.tokens) or self.tokens[end][0] != "{":
            return None
        if words[:1] == ["inline"]:
            words = words[1:]
        if words == ["extern", '"', '"']:
            names = []
        elif words[:1] == ["namespace"]:
            names = [word for word in words[1:] if word != "::"] or [""]
        else:
            return None
        self.at = end + 1
        return names

    def _statement(self):
        """Steps over a declaration; its tokens before the first block, and whether it has a block."""
        head, has_block, parens = [], False, 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at][0]
            if token == "}" and parens == 0:
                return head, has_block
            self.at += 1
            if token == ";" and parens == 0:
                return head, has_block
            if token == "{":
                self._skip_block()
                has_block = has_block or parens == 0
                following = self.tokens[self.at][0] if self.at < len(self.tokens) else ""
                if parens == 0 and following not in set(",;{.()") and not (self._is_type(head) or self._is_set(head)):
                    return head, True
                continue
            parens += (token in "([") - (token in ")]")
            if not has_block:
                head.append(token)
        return head, has_block

    def _skip_block(self):
        depth = 1
        while depth and self.at < len(self.tokens):
            token = self.tokens[self.at][0]
            depth += (token == "{") - (token == "}")
            self.at += 1

    @staticmethod
    def _without_prefix(head):
        """The tokens after template<…>, attributes, export, typedef, alignas(…) and __align__(…)."""
        at = 0
        pairs = {"<": ">", "(": ")", "[": "]"}
        while at < len(head):
            if head[at] in ("template", "alignas", "__align__", "__attribute__"):
                at += 1
            if at + 1 < len(head) and head[at] in pairs:
                waiting = []  # for these closing tokens; inside parentheses < and > are operators
                while at < len(head):
                    if head[at] in pairs and not (head[at] == "<" and waiting[-1:] == [")"]):
                        waiting.append(pairs[head[at]])
                    elif head[at] in waiting[-1:]:
                        waiting.pop()
                    at += 1
                    if not waiting:
                        break
            elif at < len(head) and head[at] in ("export", "typedef", "static", "constexpr", "inline"):
                at += 1
            else:
                break
        return head[at:]

    def _is_set(self, head):
        """Whether the tokens end in a variable's initial value: there is a = outside of parentheses."""
        depth = 0
        for word in self._without_prefix(head):
            depth += (word in ("(", "[")) - (word in (")", "]"))
            if word == "operator" or (word == "=" and depth == 0):
                return word == "="
        return False

    def _is_type(self, head):
        """Whether the tokens begin a type's definition, not a function or variable of a type named with `struct`."""
        words = self._without_prefix(head)
        if not words or words[0] not in _TYPE_KEYS:
            return False
        words = words[2:] if words[:1] == ["enum"] and words[1:2] in (["class"], ["struct"]) else words[1:]
        words = self._without_prefix(words)
        if words[1:2] == ["::"] or "=" in words:
            return "=" not in words
        return not words or words[1:2] in ([], ["final"], [":"], ["<"])

    def _declared(self, head, has_block):
        """(kind, name) of a declaration, or None for what declares nothing: aliases of namespaces, static_assert."""
        if not head or head[0] in ("static_assert", "asm") or (head[0] == "namespace" and "=" in head):
            return None
        words = self._without_prefix(head)
        if words and words[0] in _TYPE_KEYS:
            names = words[2:] if words[0] == "enum" and words[1:2] in (["class"], ["struct"]) else words[1:]
            names = self._without_prefix(names)
            if has_block and self._is_type(head) and names and names[1:2] != ["::"]:
                return "type", names[0]
            if not has_block and (len(names) == 1 or (words[0] == "enum" and names[1:2] == [":"])):
                return "forward", names[0]
        return "other", ""
