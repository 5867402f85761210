#include "broker/store/epoch.hpp"

#include <cstdint>
#include <random>
#include <string_view>

namespace sluice::store {

std::string random_epoch() {
    constexpr std::string_view characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::random_device random;
    std::uint64_t number = std::uint64_t{random()} << 32 | random();
    std::string epoch(11, ' ');  // 62^11 is more than 2^64
    for (char& c : epoch) {
        c = characters[number % characters.size()];
        number /= characters.size();
    }
    return epoch;
}

}  // namespace sluice::store
