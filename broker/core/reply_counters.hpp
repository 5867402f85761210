// Counts replies by their HTTP status. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "broker/base/metrics.hpp"

namespace sluice::broker {

class ReplyCounters {
public:
    explicit ReplyCounters(base::MetricRegistry& metrics) {
        const base::MetricInfo info{"replies", "Replies, by their HTTP status"};
        for (std::size_t i = 0; i < codes.size(); ++i)
            counters_[i] = &metrics.counter(info, {{"code", std::to_string(codes[i])}});
        counters_.back() = &metrics.counter(info, {{"code", "other"}});
    }

    base::Counter& operator[](unsigned code) const {
        return *counters_[code < places.size() ? places[code] : codes.size()];
    }

private:
    static constexpr std::array<unsigned, 28> codes{200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                                                    406, 408, 409, 410, 411, 412, 413, 415, 417, 421,
                                                    422, 428, 429, 431, 500, 501, 503, 507};

    // By code: its index in `codes`; their number: it is not among them.
    static constexpr auto places = [] {
        std::array<std::uint8_t, 600> of{};
        of.fill(codes.size());
        for (std::size_t i = 0; i < codes.size(); ++i) of[codes[i]] = static_cast<std::uint8_t>(i);
        return of;
    }();

    std::array<base::Counter*, codes.size() + 1> counters_;
};

}  // namespace sluice::broker
