#include "broker/base/memory/machine_memory.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr std::size_t gib = 1u << 30;

// A folder with its own /proc and /sys.
struct Machine {
    Machine() {
        std::string name = (fs::temp_directory_path() / "sluice-XXXXXX").string();
        root = mkdtemp(name.data());
        write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:  1 kB\n");
    }
    ~Machine() { fs::remove_all(root); }

    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
    fs::path root;
};

}  // namespace

TEST_CASE_METHOD(Machine, "without cgroups all memory is there to be used", "[memory]") {
    CHECK(sluice::base::machine_memory(root) == 8 * gib);
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    CHECK(sluice::base::machine_memory(root) == 8 * gib);
}

TEST_CASE_METHOD(Machine, "a limit of a cgroup or of one above it holds", "[memory]") {
    write("proc/self/cgroup", "0::/system.slice/sluice.service\n");
    write("sys/fs/cgroup/system.slice/memory.max", "2147483648\n");
    write("sys/fs/cgroup/system.slice/sluice.service/memory.max", "max\n");
    CHECK(sluice::base::machine_memory(root) == 2 * gib);
    write("sys/fs/cgroup/system.slice/sluice.service/memory.max", "1073741824\n");
    CHECK(sluice::base::machine_memory(root) == gib);
}

TEST_CASE_METHOD(Machine, "so does one of version 1, and of a container that does not know its own path", "[memory]") {
    write("proc/self/cgroup", "5:cpu,memory:/docker/0123\n4:pids:/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    CHECK(sluice::base::machine_memory(root) == gib);
}

TEST_CASE("a process sees what it uses", "[memory]") {
    const std::size_t before = sluice::base::resident_memory();
    CHECK(before > 0);
    const std::vector<char> touched(64u << 20, 1);
    CHECK(sluice::base::resident_memory() >= before + touched.size() / 2);
    CHECK(sluice::base::machine_memory() > before);
}
