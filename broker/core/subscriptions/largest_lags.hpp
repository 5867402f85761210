// Which of very many durable subscriptions have numbers of their own in metrics: those with the largest lags. To keep
// names from coming and going, one loses its place only to another with more than twice its lag. Pure; belongs to one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::broker {

class LargestLags {
public:
    static constexpr std::size_t named_max = 50;
    struct Lag {
        std::string_view name;
        std::uint64_t events = 0;
    };
    using Names = std::set<std::string, std::less<>>;

    explicit LargestLags(std::size_t named = named_max) : named_max_(named) {}

    // `all` subscriptions as they are now, in any order. Among equal lags, the first names have places.
    const Names& choose(std::vector<Lag> all);

private:
    const std::size_t named_max_;
    Names names_;
};

}  // namespace sluice::broker
