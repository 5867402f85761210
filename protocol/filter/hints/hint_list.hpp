// The hints about one filter while they are found, and the words that they share. Belongs to one call of find_hints.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/filter_error.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"
#include "protocol/filter/syntax/writer.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

class HintList {
public:
    bool full() const { return faults_.size() == hints_max; }
    bool empty() const { return faults_.empty(); }
    void add(std::size_t offset, std::string message) {
        if (!full()) faults_.push_back(Fault{offset, std::move(message)});
    }
    const std::vector<Fault>& found() const { return faults_; }

private:
    std::vector<Fault> faults_;
};

// The expression as text, shortened.
inline std::string shown(const Expression& e) {
    constexpr std::size_t bytes_max = 120;
    return text::shortened_utf8(write(e), bytes_max);
}

}  // namespace sluice::filter
