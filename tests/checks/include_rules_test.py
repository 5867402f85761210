#!/usr/bin/env python3
"""Plants violations of the include rules in a small tree and sees each of them found, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import include_rules


class IncludeRules(unittest.TestCase):
    def violations(self, path, text):
        """Violations of a tree that holds only the file `path` and the headers that examples include."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for header in ("broker/b.hpp", "broker/core/d.hpp", "config/c.hpp", "gpu/api/matcher.hpp",
                           "gpu/api/predicate.hpp", "gpu/cpu/e.hpp", "protocol/text/p.hpp", "tests/support/t.hpp",
                           path):
                (root / header).parent.mkdir(parents=True, exist_ok=True)
                (root / header).touch()
            (root / path).write_text(text)
            return [(str(p), line) for p, line, _ in include_rules.check(root)]

    def assert_refused(self, path, line):
        self.assertEqual(self.violations(path, f"// comment\n{line}\n"), [(path, 2)], f"{path}: {line}")

    def assert_accepted(self, path, line):
        self.assertEqual(self.violations(path, f"{line}\n"), [], f"{path}: {line}")

    def test_protocol(self):
        for line in ('#include "broker/b.hpp"', '#include "config/c.hpp"', '#include "gpu/api/matcher.hpp"',
                     '#include "gpu/cpu/e.hpp"', "#include <thread>", "#include <mutex>", "#include <ctime>",
                     "#include <sys/socket.h>",
                     "#include <boost/asio.hpp>", "#  include <yaml-cpp/yaml.h>", '#include "p.hpp"',
                     "#include <protocol/text/p.hpp>", "auto t = std::chrono::system_clock::now();"):
            self.assert_refused("protocol/feed/x.cpp", line)
        for line in ('#include "protocol/text/p.hpp"', '#include "gpu/api/predicate.hpp"', "#include <vector>",
                     "#include <pugixml.hpp>", "#include <boost/json.hpp>", "#include <boost/system/result.hpp>"):
            self.assert_accepted("protocol/feed/x.cpp", line)

    def test_config(self):
        self.assert_refused("config/x.hpp", '#include "broker/b.hpp"')
        self.assert_refused("config/x.hpp", "#include <boost/json.hpp>")
        self.assert_accepted("config/x.hpp", "#include <yaml-cpp/yaml.h>")

    def test_gpu(self):
        for line in ('#include "broker/b.hpp"', '#include "protocol/text/p.hpp"', "#include <boost/system/result.hpp>"):
            self.assert_refused("gpu/cpu/x.cpp", line)
            self.assert_refused("gpu/cuda/x.cu", line)
        self.assert_refused("gpu/cuda/x.cu", "#include <spdlog/spdlog.h>")
        self.assert_accepted("gpu/cuda/x.cu", "#include <cuda_runtime.h>")
        self.assert_accepted("gpu/cpu/x.cpp", "#include <mutex>")

    def test_cuda_stays_in_its_folders(self):
        for path in ("broker/x.cpp", "protocol/x.cpp", "config/x.cpp", "tests/unit/x.cpp"):
            self.assert_refused(path, "#include <cuda_runtime.h>")
        self.assert_accepted("tests/cuda/x.cpp", "#include <cuda_runtime.h>")

    def test_broker(self):
        self.assert_refused("broker/x.cpp", '#include "tests/support/t.hpp"')
        for line in ("#include <boost/asio.hpp>", "#include <sys/socket.h>", '#include "gpu/api/matcher.hpp"'):
            self.assert_accepted("broker/core/x.cpp", line)
        self.assert_accepted("broker/server/x.cpp", '#include "broker/core/d.hpp"')

    def test_arrows_point_downwards(self):
        self.assert_refused("broker/core/x.cpp", '#include "broker/b.hpp"')
        self.assert_refused("broker/base/x.cpp", '#include "broker/core/d.hpp"')
        self.assert_refused("gpu/api/x.hpp", '#include "gpu/cpu/e.hpp"')
        self.assert_refused("gpu/operators/edits/x.hpp", '#include "gpu/cpu/e.hpp"')
        self.assert_accepted("gpu/cuda/x.cu", '#include "gpu/cpu/e.hpp"')
        self.assert_accepted("broker/core/delivery/x.cpp", '#include "broker/core/d.hpp"')

    def test_circles_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "config").mkdir()
            for name, other in (("a", "b"), ("b", "c"), ("c", "b")):
                (root / f"config/{name}.hpp").write_text(f'#include "config/{other}.hpp"\n')
            self.assertEqual(include_rules.circles(root), [["config/b.hpp", "config/c.hpp", "config/b.hpp"]])


if __name__ == "__main__":
    unittest.main()
