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
            for header in ("broker/b.hpp", "config/c.hpp", "gpu/matcher.hpp", "gpu/predicate.hpp", "protocol/p.hpp",
                           "tests/support/t.hpp", path):
                (root / header).parent.mkdir(parents=True, exist_ok=True)
                (root / header).touch()
            (root / path).write_text(text)
            return [(str(p), line) for p, line, _ in include_rules.check(root)]

    def assert_refused(self, path, line):
        self.assertEqual(self.violations(path, f"// comment\n{line}\n"), [(path, 2)], f"{path}: {line}")

    def assert_accepted(self, path, line):
        self.assertEqual(self.violations(path, f"{line}\n"), [], f"{path}: {line}")

    def test_protocol(self):
        for line in ('#include "broker/b.hpp"', '#include "config/c.hpp"', '#include "gpu/matcher.hpp"',
                     "#include <thread>", "#include <mutex>", "#include <ctime>", "#include <sys/socket.h>",
                     "#include <boost/asio.hpp>", "#  include <yaml-cpp/yaml.h>", '#include "p.hpp"',
                     "#include <protocol/p.hpp>", "auto t = std::chrono::system_clock::now();"):
            self.assert_refused("protocol/feed/x.cpp", line)
        for line in ('#include "protocol/p.hpp"', '#include "gpu/predicate.hpp"', "#include <vector>",
                     "#include <pugixml.hpp>", "#include <boost/json.hpp>", "#include <boost/system/result.hpp>"):
            self.assert_accepted("protocol/feed/x.cpp", line)

    def test_config(self):
        self.assert_refused("config/x.hpp", '#include "broker/b.hpp"')
        self.assert_refused("config/x.hpp", "#include <boost/json.hpp>")
        self.assert_accepted("config/x.hpp", "#include <yaml-cpp/yaml.h>")

    def test_gpu(self):
        for line in ('#include "broker/b.hpp"', '#include "protocol/p.hpp"', "#include <boost/system/result.hpp>"):
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
        for line in ("#include <boost/asio.hpp>", "#include <sys/socket.h>", '#include "gpu/matcher.hpp"'):
            self.assert_accepted("broker/x.cpp", line)


if __name__ == "__main__":
    unittest.main()
