// Whether a batch is matched on the CPU or on a device, by what batches of its size have cost on each lately. Now and
// then the other one is tried, since costs change. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sluice::cuda {

enum class Processor : std::uint8_t { cpu, device };

class BackendChoice {
public:
    // By how many batches of one size the other processor is tried once; fewer where it was far slower.
    static constexpr std::uint32_t explore_every = 128, explore_rarely = 2048;
    static constexpr double far = 8;

    Processor choose(std::size_t events);
    void record(std::size_t events, Processor processor, double microseconds);
    // "batches of 32 to 63 events: 41 us on the device, 105 us on the CPU; …", of the sizes that there were.
    std::string reason() const;

private:
    static constexpr std::size_t classes = 12;  // by the number of bits of the number of events
    static constexpr double weight = 1.0 / 8;   // of the latest batch in the average

    struct Cost {
        double microseconds = 0;
        std::uint64_t batches = 0;
    };
    struct Size {
        std::array<Cost, 2> costs;
        std::uint32_t since_exploring = 0;
    };
    static std::size_t size_class(std::size_t events);

    mutable std::mutex mutex_;
    std::array<Size, classes> sizes_;
};

}  // namespace sluice::cuda
