// Reports the events that the broker left undecided: the first gap of a run at once, and the number of further events
// at its end. Belongs to one thread.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/cli/common/console.hpp"

namespace sluice::cli {

class Gaps {
public:
    // Both have to outlive it.
    Gaps(const std::vector<std::string>& filters, const Console& console) : filters_(filters), console_(console) {}

    void take(const std::string& data);  // of an event "gap"
    void end();                          // of a run

private:
    std::string filter_of(const boost::json::value& gap) const;

    const std::vector<std::string>& filters_;
    const Console& console_;
    bool told_first_ = false;
    boost::json::value last_;
    std::uint64_t more_ = 0;
};

}  // namespace sluice::cli
