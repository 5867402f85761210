#include "config/config_file.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/yaml.hpp"

using namespace std::chrono_literals;
using sluice::config::FileText;
using sluice::config::read_config_file;

namespace {

struct Pipe {
    Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
    ~Pipe() {
        ::close(ends[0]);
        end();
    }
    void write(std::string_view text) const {
        REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void end() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    std::string name() const { return "/dev/fd/" + std::to_string(ends[0]); }  // as the shell's <(...) has it

    std::array<int, 2> ends{};
};

struct Folder {
    Folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
};

}  // namespace

TEST_CASE("a configuration may come from a pipe that ends") {
    Pipe pipe;
    pipe.write("http: {port: 0}");
    CHECK(read_config_file(pipe.name(), 1ms).error ==
          "is a pipe that does not end: its writer must close it within 1 ms");
    pipe.write("http: {port: 1}");
    pipe.end();
    const FileText read = read_config_file(pipe.name());
    CHECK(read.error.empty());
    CHECK(read.text == "http: {port: 1}");
    CHECK(read_config_file(pipe.name()).error == "is a pipe to which no program writes");
}

TEST_CASE("no file that is read for a configuration can hold up the start") {
    const Folder folder;
    const std::string fifo = folder.path + "/fifo", socket_path = folder.path + "/socket";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(read_config_file(fifo).error == "is a pipe to which no program writes");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CHECK(read_config_file(socket_path).error == "is a socket; expected a file or a pipe");
    ::close(socket);
    CHECK(read_config_file(folder.path).error == "is a directory");
    CHECK(read_config_file("/dev/zero").error == "is a device; expected a file or a pipe");
    CHECK(read_config_file("/dev/ptmx").error == "is a device; expected a file or a pipe");
    CHECK(read_config_file("/dev/null").error.empty());
    CHECK(read_config_file(folder.path + "/none").error == "cannot be read: No such file or directory");
}

TEST_CASE("of a huge file or pipe only as much is read as shows that it is too large") {
    const Folder folder;
    const std::string huge = folder.path + "/huge";
    REQUIRE(::mknod(huge.c_str(), S_IFREG | 0600, 0) == 0);
    REQUIRE(::truncate(huge.c_str(), off_t{1} << 40) == 0);
    const FileText read = read_config_file(huge);
    CHECK(read.error.empty());
    CHECK(read.text.size() == sluice::config::yaml_bytes_max + 1);
}
