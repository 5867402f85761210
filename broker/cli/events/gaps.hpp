// Reports the events that the broker could not decide or deliver: the first gap of a run at once, and the number of
// further events at its end. All gaps of a run have one reason. Belongs to one thread.
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
    bool any() const { return any_; }

private:
    std::string cause_of(const boost::json::value& gap) const;
    std::string filter_of(const boost::json::value& gap) const;

    const std::vector<std::string>& filters_;
    const Console& console_;
    bool any_ = false, told_first_ = false;
    std::string reason_;  // of the run
    boost::json::value last_;
    std::uint64_t more_ = 0;
};

}  // namespace sluice::cli
