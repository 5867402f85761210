// A measured system: its process, and how to speak to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/bench/fanout/protocol.hpp"

namespace sluice::fanout {

class Daemon {
public:
    Daemon() = default;
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    virtual ~Daemon() = default;  // ends the process

    virtual std::uint16_t port() const = 0;
    // The processor's time that it has used so far, user and system together.
    virtual double cpu_seconds() const = 0;
    // Ends the process; what was wrong with that, or empty.
    virtual std::string end() = 0;
};

struct System {
    std::string name;
    std::unique_ptr<Daemon> daemon;
    Protocol protocol;
};

}  // namespace sluice::fanout
