"""Reads from the CMakeLists.txt files which targets there are, of which sources, and what they link.

A small interpreter, which follows the project's own functions (sluice_library …) whatever they are called: it knows
variables, functions, foreach and cmake_parse_arguments. It takes all branches of if, since a link that one build needs
is needed; there, set() adds to a variable. Commands that it does not know do nothing.
"""
import re
from collections import deque
from pathlib import PurePosixPath

_TOKEN = re.compile(r'#\[\[.*?\]\]|#[^\n]*|"(?:\\.|[^"\\])*"|[()]|(?:\\.|[^\s()"#\\])+|\n', re.DOTALL)
_VARIABLE = re.compile(r"\$\{([^${}]*)\}")
_WRAPPED = re.compile(r"\$<(?:BUILD_INTERFACE|LINK_ONLY):([^<>]*)>$")
_OBJECTS = re.compile(r"\$<TARGET_OBJECTS:([^<>]*)>$")
_SCOPES = {"PUBLIC", "PRIVATE", "INTERFACE"}
_IF = {"if": 1, "endif": -1}


class Target:
    """A library or program. `place` is the (file, line) that adds it; `public` and `private` map what it links to the
    place that says so, `objects` the targets whose objects it contains."""

    def __init__(self, name, place, program):
        self.name, self.place, self.program = name, place, program
        self.sources, self.public, self.private, self.objects = set(), {}, {}, set()

    @property
    def links(self):
        return {**self.private, **self.public}


def commands_of(text):
    """(line, name, arguments) of each command. An argument is (text, whether it was quoted)."""
    found, line, name, depth, arguments = [], 1, None, 0, []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            depth += 1
            if depth == 1:
                begin, arguments = line, []
                continue
        elif token == ")":
            depth -= 1
            if depth == 0:
                found.append((begin, name.lower(), arguments))
                continue
        line += token.count("\n")
        if token.startswith("#") or token == "\n":
            continue
        if depth == 0:
            name = token
        elif token.startswith('"'):
            arguments.append((re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL), True))
        else:
            arguments.append((token, False))
    return found


class Project:
    """The targets of the CMakeLists.txt in `root` and of the folders that it adds, but for those named in `without`."""

    def __init__(self, root, without=("tests",)):
        self.root, self.without = root, without
        self.targets, self._aliases, self._functions = {}, {}, {}
        self._place = None
        self._run_file(PurePosixPath("CMakeLists.txt"), {"PROJECT_SOURCE_DIR": "", "CMAKE_SOURCE_DIR": ""})
        for target in self.targets.values():
            for links in (target.public, target.private):
                for name in list(links):
                    links[self._aliases.get(name, name)] = links.pop(name)
            target.objects = {self._aliases.get(name, name) for name in target.objects}

    def _run_file(self, path, scope):
        file = self.root / path
        if file.is_file():
            self._run(commands_of(file.read_text(encoding="utf-8")), {**scope, "CMAKE_CURRENT_LIST_FILE": str(path)})

    def _expand(self, arguments, scope):
        values = []
        for text, quoted in arguments:
            before = None
            while before != text:
                before = text
                text = _VARIABLE.sub(lambda found: scope.get(found[1], found[0] if found[1] in _UNKNOWN else ""), text)
            values += [text] if quoted else [part for part in text.split(";") if part]
        return values

    def _run(self, commands, scope):
        waiting, conditions = deque(commands), 0
        while waiting:
            line, name, raw = waiting.popleft()
            in_function = "ARGN" in scope
            if not in_function:
                self._place = (scope["CMAKE_CURRENT_LIST_FILE"], line)
            conditions += _IF.get(name, 0)
            if name in ("function", "macro", "foreach"):
                body, depth = [], 1
                while waiting:
                    command = waiting.popleft()
                    depth += (command[1] == name) - (command[1] == "end" + name)
                    if not depth:
                        break
                    body.append(command)
                arguments = self._expand(raw, scope)
                if name == "foreach":
                    self._foreach(arguments, body, scope)
                else:
                    self._functions[arguments[0].lower()] = (arguments[1:], body)
            elif name in self._functions:
                parameters, body = self._functions[name]
                values = self._expand(raw, scope)
                inner = {**scope, **dict(zip(parameters, values)), "ARGV": ";".join(values),
                         "ARGN": ";".join(values[len(parameters):])}
                self._run(body, inner)
            else:
                command = getattr(self, "_do_" + name, None)
                if command:
                    command(self._expand(raw, scope), scope, conditions > 0)

    def _foreach(self, arguments, body, scope):
        variable, rest = arguments[0], arguments[1:]
        if rest[:2] == ["IN", "LISTS"]:
            items = [item for name in rest[2:] for item in scope.get(name, "").split(";") if item]
        else:
            items = rest[2:] if rest[:2] == ["IN", "ITEMS"] else rest
        for item in items:
            scope[variable] = item
            self._run(body, scope)

    # Commands. `scope` is the variables, `maybe` says that the command is inside an if.

    def _do_set(self, arguments, scope, maybe):
        name, values = arguments[0], arguments[1:]
        if values[-1:] == ["PARENT_SCOPE"] or not values:
            return
        if "CACHE" in values:
            values = values[:values.index("CACHE")]
        before = [scope[name]] if maybe and scope.get(name) else []
        scope[name] = ";".join(before + values)

    def _do_list(self, arguments, scope, _maybe):
        operation, name, values = arguments[0], arguments[1], arguments[2:]
        items = [item for item in scope.get(name, "").split(";") if item]
        if operation == "APPEND":
            scope[name] = ";".join(items + values)
        elif operation == "TRANSFORM" and values[:1] == ["REPLACE"]:
            scope[name] = ";".join(re.sub(values[1], values[2], item) for item in items)
        elif operation == "TRANSFORM" and values[:1] in (["PREPEND"], ["APPEND"]):
            before, after = (values[1], "") if values[0] == "PREPEND" else ("", values[1])
            scope[name] = ";".join(before + item + after for item in items)

    def _do_cmake_parse_arguments(self, arguments, scope, _maybe):
        if arguments[0] == "PARSE_ARGV":
            skipped, (prefix, options, ones, many) = int(arguments[1]), arguments[2:6]
            values = [value for value in scope["ARGV"].split(";") if value][skipped:]
        else:
            prefix, options, ones, many = arguments[:4]
            values = arguments[4:]
        words = {kind: set(names.split(";")) for kind, names in (("option", options), ("one", ones), ("many", many))}
        found, key = {name: [] for names in words.values() for name in names if name}, None
        for value in values:
            if value in found:
                key = value
                if value in words["option"]:
                    found[value], key = ["TRUE"], None
            elif key:
                found[key].append(value)
                key = None if key in words["one"] else key
        for name, items in found.items():
            scope[f"{prefix}_{name}"] = ";".join(items)

    def _do_include(self, arguments, scope, _maybe):
        here = PurePosixPath(scope["CMAKE_CURRENT_LIST_FILE"]).parent
        name = arguments[0].lstrip("/")
        for path in (PurePosixPath("cmake") / f"{name}.cmake", PurePosixPath(name), here / name):
            if (self.root / path).is_file():
                commands = commands_of((self.root / path).read_text(encoding="utf-8"))
                listed = scope["CMAKE_CURRENT_LIST_FILE"]
                scope["CMAKE_CURRENT_LIST_FILE"] = str(path)
                self._run(commands, scope)
                scope["CMAKE_CURRENT_LIST_FILE"] = listed
                return

    def _do_add_subdirectory(self, arguments, scope, _maybe):
        folder = _normal(PurePosixPath(scope.get("CMAKE_CURRENT_SOURCE_DIR", "")) / arguments[0])
        if folder not in self.without:
            self._run_file(PurePosixPath(folder) / "CMakeLists.txt", {**scope, "CMAKE_CURRENT_SOURCE_DIR": folder})

    def _add(self, name, sources, scope, program):
        target = self.targets.setdefault(name, Target(name, self._place, program))
        here = PurePosixPath(scope.get("CMAKE_CURRENT_SOURCE_DIR", ""))
        for source in sources:
            if objects := _OBJECTS.match(source):
                target.objects.add(objects[1])
            elif not source.startswith("$") and "${" not in source:
                target.sources.add(_normal(here / source))

    def _do_add_library(self, arguments, scope, _maybe):
        name, rest = arguments[0], arguments[1:]
        if rest[:1] == ["ALIAS"]:
            self._aliases[name] = rest[1]
        elif "IMPORTED" not in rest:
            words = {"STATIC", "SHARED", "MODULE", "OBJECT", "INTERFACE", "EXCLUDE_FROM_ALL"}
            self._add(name, [word for word in rest if word not in words], scope, False)

    def _do_add_executable(self, arguments, scope, _maybe):
        self._add(arguments[0], arguments[1:], scope, True)

    def _do_target_sources(self, arguments, scope, _maybe):
        self._add(arguments[0], [word for word in arguments[1:] if word not in _SCOPES], scope, False)

    def _do_target_link_libraries(self, arguments, _scope, _maybe):
        target, kind = self.targets.get(arguments[0]), "PUBLIC"
        for word in arguments[1:] if target else ():
            if word in _SCOPES:
                kind = word
            else:
                wrapped = _WRAPPED.match(word)
                links = target.private if kind == "PRIVATE" else target.public
                links.setdefault(wrapped[1] if wrapped else word, self._place)


# Only known while CMake runs.
_UNKNOWN = {"CMAKE_CURRENT_BINARY_DIR", "CMAKE_BINARY_DIR", "PROJECT_BINARY_DIR"}


def _normal(path):
    """A path below the root without "." and ".."."""
    parts = []
    for part in path.parts:
        if part == "..":
            parts = parts[:-1]
        elif part not in (".", "/"):
            parts.append(part)
    return "/".join(parts)
