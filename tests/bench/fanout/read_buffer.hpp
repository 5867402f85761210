// Where bytes of any connection are read to: one buffer for all of them stays in the processor's cache.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/fanout/mark_scanner.hpp"
#include "tests/bench/load/socket.hpp"

namespace sluice::fanout {

class ReadBuffer {
public:
    static constexpr std::size_t size = 256 * 1024;

    ReadBuffer() : bytes_(MarkScanner::kept_most + size) {}
    char* data() { return bytes_.data() + MarkScanner::kept_most; }

    // Reads what has come, and returns how many bytes; 0: none yet. Throws std::runtime_error, which names `who`, if
    // the connection was closed.
    std::size_t receive(const load::Socket& from, std::string_view who);

private:
    std::vector<char> bytes_;
};

// Waits until `expected` has come. Throws std::runtime_error, with what came instead, if it does not come.
void await(load::Socket& socket, std::string_view expected, std::string_view who);

}  // namespace sluice::fanout
