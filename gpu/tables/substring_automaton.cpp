#include "gpu/tables/substring_automaton.hpp"

#include <algorithm>
#include <cstring>

namespace sluice {

SubstringAutomaton::SubstringAutomaton(const TextTable& table, std::vector<std::uint32_t> patterns)
    : patterns_(std::move(patterns)) {
    std::sort(patterns_.begin(), patterns_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return table.text(a) < table.text(b); });
    build_trie(table);
    link_suffixes();
}

void SubstringAutomaton::build_trie(const TextTable& table) {
    struct Span {
        std::uint32_t begin, end;  // the patterns below a node
    };
    const auto text = [&](std::uint32_t p) { return table.text(patterns_[p]); };
    std::vector<std::uint32_t> group_ends;
    std::vector<Span> level{{0, static_cast<std::uint32_t>(patterns_.size())}}, next;
    label_.push_back(0);
    pattern_.push_back(none);
    for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next), next.clear()) {
        for (const Span& span : level) {
            const std::size_t node = first_child_.size();
            first_child_.push_back(static_cast<std::uint32_t>(label_.size()));
            std::uint32_t p = span.begin;
            if (depth == depth_max) {
                p = span.end;
                depth_max_reached_ = true;
            } else if (text(p).size() == depth && p < span.end) {
                ++p;
            }
            if (p > span.begin) {
                pattern_[node] = span.begin;
                group_ends.push_back(p - 1);
            }
            while (p < span.end) {
                const char c = text(p)[depth];
                const std::uint32_t begin = p;
                while (p < span.end && text(p)[depth] == c) ++p;
                next.push_back({begin, p});
                label_.push_back(static_cast<unsigned char>(c));
                pattern_.push_back(none);
            }
        }
    }
    first_child_.push_back(static_cast<std::uint32_t>(label_.size()));
    for (const std::uint32_t end : group_ends) patterns_[end] |= last_flag;
}

void SubstringAutomaton::link_suffixes() {
    const std::size_t nodes = label_.size();
    for (std::uint32_t n = first_child_[0]; n < first_child_[1]; ++n) root_[label_[n]] = n;
    fail_.assign(nodes, 0);
    report_.assign(nodes, 0);
    for (std::uint32_t parent = 0; parent < nodes; ++parent) {
        for (std::uint32_t n = first_child_[parent]; n < first_child_[parent + 1]; ++n) {
            fail_[n] = parent == 0 ? 0 : step(fail_[parent], label_[n]);
            report_[n] = pattern_[n] != none ? n : report_[fail_[n]];
        }
    }
    for (auto* v : {&first_child_, &pattern_}) v->shrink_to_fit();
    label_.shrink_to_fit();
}

std::uint32_t SubstringAutomaton::child(std::uint32_t node, unsigned char c) const {
    const std::uint32_t begin = first_child_[node], end = first_child_[node + 1];
    if (end - begin > 16) {
        const void* at = std::memchr(&label_[begin], c, end - begin);
        if (at == nullptr) return 0;
        return begin + static_cast<std::uint32_t>(static_cast<const unsigned char*>(at) - &label_[begin]);
    }
    for (std::uint32_t n = begin; n < end; ++n) {
        if (label_[n] == c) return n;
    }
    return 0;
}

std::size_t SubstringAutomaton::bytes() const {
    return sizeof(root_) + label_.capacity() +
           4 * (patterns_.capacity() + first_child_.capacity() + fail_.capacity() + report_.capacity() +
                pattern_.capacity());
}

}  // namespace sluice
