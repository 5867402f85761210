#!/usr/bin/env python3
"""Plants violations of the include rules in small trees and sees each of them found, and nothing else."""
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import cmake_targets
import include_rules
import library_rules
from cpp_text import Source
from folder_rules import TABLES, Tree

# A tree without faults: broker includes and links config.
FILES = {
    "CMakeLists.txt": """
        include(Own)
        add_subdirectory(config)
        add_subdirectory(broker)
        add_subdirectory(tests)
    """,
    "cmake/Own.cmake": """
        function(own_library name)  # own_library(a SOURCES … LINKS …)
            cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;PRIVATE_LINKS")
            add_library(own_${name} STATIC ${arg_SOURCES})
            add_library(own::${name} ALIAS own_${name})
            target_link_libraries(own_${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
        endfunction()
    """,
    "config/CMakeLists.txt": "own_library(low SOURCES low.cpp)\n",
    "config/low.hpp": "namespace sluice::low {\nstruct Low {};\n}\n",
    "config/low.cpp": '#include "config/low.hpp"\n',
    "config/plain.hpp": "namespace sluice::low {\nenum class Plain { one };\n}\n",
    "broker/CMakeLists.txt": "own_library(high SOURCES high.cpp LINKS own::low)\nadd_executable(main main.cpp)\n",
    "broker/high.hpp": '#include "config/low.hpp"\nnamespace sluice::high {\nclass High {};\n}\n',
    "broker/high.cpp": '#include "broker/high.hpp"\n',
    "broker/main.cpp": "int main() {}\n",
    "tests/high_test.cpp": '#include "broker/high.hpp"\n#include "config/low.hpp"\n',
}


def tables(**changes):
    """The tables for FILES."""
    return SimpleNamespace(**{
        "FOLDERS": {"config": (), "broker": ("config",)}, "UPWARD": set(), "VOCABULARY": {}, "FORWARD": set(),
        "NAMESPACES": {"config": "sluice::low", "broker": "sluice::high"}, "NESTED": set(),
        "ELSEWHERE": {"broker/main.cpp": ""}, "HEADERS": (), "LINKED_ANYWAY": set(), "UNLINKED": set(), "CYCLES": (),
        **changes})


class TreeTest(unittest.TestCase):
    def violations(self, files=None, kept=None):
        """The violations of FILES with these files changed, or removed (None)."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**FILES, **(files or {})}.items():
                if text is not None:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text)
            return list(include_rules.check(Tree(root, kept or tables())))

    def assert_found(self, files, *expected, kept=None):
        """Checks that there is one violation for each of `expected`, (path, line, part of the reason)."""
        found = self.violations(files, kept)
        self.assertEqual([place[:2] for place in found], [place[:2] for place in expected], found)
        for (_, _, reason), (_, _, part) in zip(found, expected):
            self.assertIn(part, reason)


class Folders(TreeTest):
    def test_a_tree_without_faults(self):
        self.assert_found({})

    def test_arrow_without_permission(self):
        self.assert_found({"config/plain.hpp": '#include "broker/main.hpp"\n', "broker/main.hpp": ""},
                          ("config/plain.hpp", 1, "config may not include broker"))

    def test_tests_may_not_be_included(self):
        self.assert_found({"config/plain.hpp": '\n#include "tests/t.hpp"\n', "tests/t.hpp": ""},
                          ("config/plain.hpp", 2, "config may not include tests"))

    def test_missing_file(self):
        self.assert_found({"config/plain.hpp": '#include "config/none.hpp"\n'},
                          ("config/plain.hpp", 1, "there is no such file"))

    def test_permissions_are_not_inherited(self):
        self.assert_found({"broker/room/r.hpp": '#include "config/low.hpp"\n'},
                          ("broker/room/r.hpp", 0, "no entry for the folder broker/room"),
                          ("broker/room/r.hpp", 1, "broker/room may not include config"))

    def test_entry_without_a_folder(self):
        self.assert_found({}, (TABLES, 0, "there are no sources in gpu"),
                          kept=tables(FOLDERS={"gpu": (), "config": (), "broker": ("config",)}))

    def test_order(self):
        self.assert_found({}, (TABLES, 0, "broker includes config, which does not stand above it"),
                          kept=tables(FOLDERS={"broker": ("config",), "config": ()}))

    def test_permission_that_is_not_used(self):
        header_alone = {"config/plain.hpp": '#include "gpu/g.hpp"\n', "gpu/g.hpp": ""}
        three = {"gpu": (), "config": ("gpu",), "broker": ("config", "gpu")}
        self.assert_found(header_alone, (TABLES, 0, "no file of broker includes gpu"), kept=tables(FOLDERS=three))

    def test_upward_arrow(self):
        upward = tables(UPWARD={("config", "broker")})
        self.assert_found({"config/plain.hpp": '#include "broker/m.hpp"\n', "broker/m.hpp": ""}, kept=upward)
        self.assert_found({}, (TABLES, 0, "UPWARD: no file of config includes broker"), kept=upward)

    def test_vocabulary(self):
        files = {"gpu/a.hpp": "", "gpu/b.hpp": "",
                 "protocol/text/t.hpp": '#include "gpu/a.hpp"\n#include "gpu/b.hpp"\n'}
        kept = tables(FOLDERS={"gpu": (), "protocol/text": ("gpu",), "config": (), "broker": ("config",)},
                      VOCABULARY={"gpu": ("gpu/a.hpp",)})
        self.assert_found(files, ("protocol/text/t.hpp", 2, "only the vocabulary"), kept=kept)
        kept.VOCABULARY = {"gpu": ("gpu/a.hpp", "gpu/b.hpp", "gpu/c.hpp")}
        self.assert_found(files, (TABLES, 0, "VOCABULARY: protocol does not include gpu/c.hpp"), kept=kept)


class Declarations(TreeTest):
    def test_declaration_of_a_type_above(self):
        files = {"config/plain.hpp": "namespace sluice::high { class High; }\n"}
        self.assert_found(files, ("config/plain.hpp", 1, "sluice::high::High (broker/high.hpp): config may not"))
        kept = tables(FORWARD={("config/plain.hpp", "sluice::high::High")})
        self.assert_found(files, kept=kept)
        self.assert_found({}, (TABLES, 0, "FORWARD: config/plain.hpp needs no exception"), kept=kept)

    def test_declaration_of_a_type_below(self):
        self.assert_found({"broker/high.cpp": "namespace sluice::low {\nstruct Low;\n}\n"})

    def test_declaration_of_nothing(self):
        self.assert_found({"broker/high.cpp": "namespace sluice::low {\nstruct Gone;\n}\n"},
                          ("broker/high.cpp", 2, "sluice::low::Gone, which is not defined"))

    def test_types_of_other_namespaces_and_classes_inside_classes(self):
        self.assert_found({"config/low.cpp": "namespace CLI {\nclass App;\n}\nnamespace sluice::low {\n"
                                             "struct Outer {\n    class Inner;\n};\nnamespace {\nstruct High;\n}\n}\n"})

    def test_other_namespace(self):
        self.assert_found({"config/plain.hpp": "namespace sluice::high {\n\nint f();\n}\n"},
                          ("config/plain.hpp", 3, "declares in sluice::high; config has sluice::low"))
        self.assert_found({"config/low.cpp": "static int x = 0;\n"},
                          ("config/low.cpp", 1, "declares in the global namespace"))

    def test_nested_namespace(self):
        files = {"config/plain.hpp": "namespace sluice::low::detail {\nint f();\n}\n"}
        self.assert_found(files, ("config/plain.hpp", 2, "sluice::low::detail"))
        for name in ("detail", "sluice::low::detail"):
            self.assert_found(files, kept=tables(NESTED={name}))
            self.assert_found({}, (TABLES, 0, f"NESTED: nothing needs the entry {name}"), kept=tables(NESTED={name}))

    def test_rooms_have_the_namespace_of_the_folder_above(self):
        kept = tables(FOLDERS={"config/room": (), "config": (), "broker": ("config",)})
        self.assert_found({"config/room/r.hpp": "namespace sluice::low {\nint f();\n}\n"}, kept=kept)

    def test_exceptions_must_be_needed(self):
        kept = tables(ELSEWHERE={"broker/main.cpp": "", "config/low.cpp": ""})
        self.assert_found({}, (TABLES, 0, "ELSEWHERE: nothing needs the entry config/low.cpp"), kept=kept)

    def test_file_included_inside_a_namespace(self):
        self.assert_found({"config/loops.hpp": "inline int f() { return 1; }\n",
                           "config/low.cpp": 'namespace sluice::low {\n#include "config/loops.hpp"\n}\n'})

    def test_braces(self):
        self.assert_found({"config/low.cpp": "namespace sluice::low {\n"},
                          ("config/low.cpp", 0, "braces do not balance"))

    def test_reading_of_declarations(self):
        source = Source("a/b.cpp", "\n".join((
            'namespace a::inner {',
            'template <class T, int n = (2 > 1)> struct alignas(16) Generic : Base<T> { class No; };',
            'enum class Number : int { one, two };',
            'enum class Opaque : int;',
            'const char* text = "namespace x { struct No; ";',
            "constexpr char brace = '{';",
            'auto raw = R"(namespace { )";',
            'struct No* pointer(int n = 1) { struct No; return nullptr; }',
            'template <class T = int> bool A::operator==(const T& n) const { return true; }',
            'A::A(int n) : b{n}, c(n) { /* struct No; */ }',
            'std::vector<int> values{1, 2};',
            'auto lambda = [](int n) { struct No { int n; }; return n; };',
            '#if X',
            'struct Last final { } last;',
            '#endif',
            '}',
            'extern "C" { struct C; }',
            'namespace shorter = a::inner;')))
        types = [(d.line, d.namespace, d.kind, d.name) for d in source.declarations if d.kind != "other"]
        self.assertEqual(types, [(2, "a::inner", "type", "Generic"), (3, "a::inner", "type", "Number"),
                                 (4, "a::inner", "forward", "Opaque"), (14, "a::inner", "type", "Last"),
                                 (17, "", "forward", "C")])
        self.assertEqual([d.line for d in source.declarations if d.kind == "other"], [5, 6, 7, 8, 9, 10, 11, 12])


class Cycles(TreeTest):
    def test_circle_of_files(self):
        self.assert_found({"config/a.hpp": '#include "config/b.hpp"\n', "config/b.hpp": '#include "config/b.hpp"\n'},
                          ("config/b.hpp", 0, "circle of files: config/b.hpp > config/b.hpp"))

    def test_cycle_of_units(self):
        files = {"config/plain.hpp": '\n#include "config/low.hpp"\n',
                 "config/low.cpp": '#include "config/low.hpp"\n\n#include "config/plain.hpp"\n'}
        self.assert_found(files, ("config/low", 0, "cycle of 2 units: config/low config/plain\n"
                                  "    config/low.cpp:3 includes config/plain.hpp\n"
                                  "    config/plain.hpp:2 includes config/low.hpp"))
        kept = tables(CYCLES=(("config/plain", "config/low"),))
        self.assert_found(files, kept=kept)
        self.assert_found({}, (TABLES, 0, "there is no such cycle any more: config/low config/plain"), kept=kept)

    def test_tests_may_include_each_other(self):
        self.assert_found({"tests/a.hpp": "", "tests/a.cpp": '#include "tests/b.hpp"\n', "tests/b.hpp": "",
                           "tests/b.cpp": '#include "tests/a.hpp"\n'})


class Linking(TreeTest):
    def test_missing_link(self):
        cmake = {"broker/CMakeLists.txt": "own_library(high SOURCES high.cpp)\nadd_executable(main main.cpp)\n"}
        self.assert_found(cmake, ("broker/high.hpp", 1, "own_high must link own_low, which"))
        self.assert_found(cmake, kept=tables(UNLINKED={("own_high", "own_low")}))
        self.assert_found({}, (TABLES, 0, "UNLINKED: own_high needs no exception for own_low"),
                          kept=tables(UNLINKED={("own_high", "own_low")}))

    def test_headers_without_a_source_need_no_link(self):
        self.assert_found({
            "broker/CMakeLists.txt": "own_library(high SOURCES high.cpp)\nadd_executable(main main.cpp)\n",
            "broker/high.hpp": '#include "config/plain.hpp"\n'})

    def test_headers_without_a_source_pass_on_what_they_include(self):
        self.assert_found({
            "broker/CMakeLists.txt": "own_library(high SOURCES high.cpp)\nadd_executable(main main.cpp)\n",
            "broker/high.hpp": '\n#include "config/plain.hpp"\n', "config/plain.hpp": '#include "config/low.hpp"\n'},
            ("broker/high.hpp", 2, "own_high must link own_low"))

    def test_private_link_for_a_header(self):
        cmake = "own_library(high SOURCES high.cpp PRIVATE_LINKS own::low)\nadd_executable(main main.cpp)\n"
        self.assert_found({"broker/CMakeLists.txt": cmake}, ("broker/high.hpp", 1, "must link own_low publicly"))
        self.assert_found({"broker/CMakeLists.txt": cmake, "broker/high.hpp": "",
                           "broker/high.cpp": '#include "config/low.hpp"\n'})

    def test_link_that_nothing_needs(self):
        cmake = "\nown_library(high SOURCES high.cpp LINKS own::low)\nadd_executable(main main.cpp)\n" \
                "target_link_libraries(main PRIVATE own::high outside)\n"
        self.assert_found({"broker/CMakeLists.txt": cmake},
                          ("broker/CMakeLists.txt", 4, "main links own_high, of which it includes nothing"))
        self.assert_found({"broker/CMakeLists.txt": cmake}, kept=tables(LINKED_ANYWAY={("main", "own_high")}))
        self.assert_found({}, (TABLES, 0, "LINKED_ANYWAY: main needs no exception for own_high"),
                          kept=tables(LINKED_ANYWAY={("main", "own_high")}))

    def test_public_links_are_passed_on(self):
        cmake = FILES["broker/CMakeLists.txt"] + "target_link_libraries(main PRIVATE own::high)\n"
        main = '#include "broker/high.hpp"\n#include "config/low.hpp"\nint main() {}\n'
        self.assert_found({"broker/CMakeLists.txt": cmake, "broker/main.cpp": main})

    def test_target_for_headers_of_others(self):
        kept = tables(HEADERS=(("own_high", r"boost/asio\b"),))
        self.assert_found({"broker/main.cpp": "#include <boost/asio.hpp>\nint main() {}\n"},
                          ("broker/main.cpp", 1, "main must link own_high"), kept=kept)

    def test_targets_that_link_each_other(self):
        self.assert_found({"config/CMakeLists.txt": "own_library(low SOURCES low.cpp LINKS own::high)\n",
                           "config/low.cpp": '#include "broker/high.hpp"\n'},
                          ("CMakeLists.txt", 0, "own_high > own_low > own_high"),
                          kept=tables(UPWARD={("config", "broker")}, CYCLES=(("broker/high", "config/low"),)))

    def test_source_that_is_not_compiled(self):
        self.assert_found({"config/alone.cpp": ""}, ("config/alone.cpp", 0, "no target"))

    def test_objects_of_another_target(self):
        cmake = """
            add_library(room_low OBJECT low.cpp)
            set(rooms low)
            list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:room_\\\\1>")
            add_library(own_low STATIC ${rooms})
            add_library(own::low ALIAS own_low)
        """
        self.assert_found({"config/CMakeLists.txt": cmake})


class CMakeFiles(unittest.TestCase):
    def targets(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CMakeLists.txt").write_text(text)
            return cmake_targets.Project(Path(folder)).targets

    def test_variables_branches_and_loops(self):
        targets = self.targets("""
            set(sources a.cpp "b.cpp")  # comment (with a bracket
            if(X AND (Y OR Z))
                list(APPEND sources c.cpp)
                set(one d.cpp)
            else()
                set(one e.cpp)
            endif()
            add_library(l STATIC ${sources} ${one} ${CMAKE_CURRENT_BINARY_DIR}/made.cpp)
            function(kernels)
                foreach(name IN LISTS ARGN)
                    target_sources(l PRIVATE ${name}_wide.cpp)
                endforeach()
            endfunction()
            kernels(f sub/g)
            target_link_libraries(l PUBLIC p PRIVATE $<BUILD_INTERFACE:q>)
        """)
        self.assertEqual(targets["l"].sources,
                         {"a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp", "f_wide.cpp", "sub/g_wide.cpp"})
        self.assertEqual((list(targets["l"].public), list(targets["l"].private)), (["p"], ["q"]))


class Libraries(unittest.TestCase):
    """The rules of this project for headers that are not ours."""

    def assert_refused(self, path, line):
        found = [place[:2] for place in library_rules.check([Source(path, f"// comment\n{line}\n")])]
        self.assertEqual(found, [(path, 2)], f"{path}: {line}")

    def assert_accepted(self, path, line):
        self.assertEqual(list(library_rules.check([Source(path, f"{line}\n")])), [], f"{path}: {line}")

    def test_protocol(self):
        for line in ("#include <thread>", "#include <mutex>", "#include <ctime>", "#include <sys/socket.h>",
                     "#include <boost/asio.hpp>", "#  include <yaml-cpp/yaml.h>", "#include <protocol/text/p.hpp>",
                     "auto t = std::chrono::system_clock::now();"):
            self.assert_refused("protocol/feed/x.cpp", line)
        for line in ("#include <vector>", "#include <pugixml.hpp>", "#include <boost/json.hpp>",
                     "#include <boost/system/result.hpp>"):
            self.assert_accepted("protocol/feed/x.cpp", line)

    def test_config(self):
        self.assert_refused("config/x.hpp", "#include <boost/json.hpp>")
        self.assert_accepted("config/x.hpp", "#include <yaml-cpp/yaml.h>")

    def test_gpu(self):
        for path in ("gpu/cpu/x.cpp", "gpu/cuda/x.cu"):
            self.assert_refused(path, "#include <boost/system/result.hpp>")
            self.assert_refused(path, "#include <spdlog/spdlog.h>")
        self.assert_accepted("gpu/cuda/x.cu", "#include <cuda_runtime.h>")
        self.assert_accepted("gpu/cpu/x.cpp", "#include <mutex>")

    def test_cuda_stays_in_its_folders(self):
        for path in ("broker/x.cpp", "protocol/x.cpp", "config/x.cpp", "tests/unit/x.cpp"):
            self.assert_refused(path, "#include <cuda_runtime.h>")
        self.assert_accepted("tests/cuda/x.cpp", "#include <cuda_runtime.h>")

    def test_broker(self):
        for line in ("#include <boost/asio.hpp>", "#include <sys/socket.h>"):
            self.assert_accepted("broker/core/x.cpp", line)


class Document(unittest.TestCase):
    def test_list_of_folders(self):
        kept = tables(FOLDERS={"gpu/b": (), "gpu": ("gpu/b",), "config": ("gpu", "gpu/b"), "tests/x": ()})
        lines = include_rules.folder_list(kept).splitlines()
        self.assertEqual([" ".join(line.split()) for line in lines[:3]], ["gpu gpu/b", "b -", "config gpu gpu/b"])
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / include_rules.DOCUMENT
            page.write_text("before\n" + include_rules.BEGIN + "old\n" + include_rules.END + "after\n")
            self.assertEqual(len(list(include_rules.check_document(Path(folder), kept))), 1)
            include_rules.write_document(Path(folder), kept)
            self.assertEqual(list(include_rules.check_document(Path(folder), kept)), [])
            self.assertTrue(page.read_text().startswith("before\n") and page.read_text().endswith("after\n"))


if __name__ == "__main__":
    unittest.main()
