// Counts replies by their HTTP status. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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
        const auto found = std::lower_bound(codes.begin(), codes.end(), code);
        const bool is_known = found != codes.end() && *found == code;
        return is_known ? *counters_[static_cast<std::size_t>(found - codes.begin())] : *counters_.back();
    }

private:
    static constexpr std::array<unsigned, 28> codes{200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                                                    406, 408, 409, 410, 411, 412, 413, 415, 417, 421,
                                                    422, 428, 429, 431, 500, 501, 503, 507};

    std::array<base::Counter*, codes.size() + 1> counters_;
};

}  // namespace sluice::broker
