#include "tests/bench/load/contains_workload.hpp"

#include "tests/support/exact_workload.hpp"

namespace sluice::load {

namespace {

using substrings::Alphabet;

constexpr std::size_t body_bytes = 8192, body_count = 64, source_bytes = std::size_t{4} << 20;
constexpr std::size_t phrase_bytes_min = 8, phrase_bytes_max = 32;

}  // namespace

ContainsWorkload::ContainsWorkload(const WorkloadOptions& options)
    : Workload(options.connections, options.seed), connections_(options.connections), bodies_(body_count) {
    const std::string all = substrings::make_text(Alphabet::english, source_bytes, options.seed);
    phrases_ = substrings::make_patterns(Alphabet::english, all, options.filters, phrase_bytes_min, phrase_bytes_max,
                                         options.seed);
    for (std::size_t f = 0; f < phrases_.size(); ++f)
        add_filter(f % connections_, "contains(body,'" + phrases_[f] + "')");
    for (Body& body : bodies_) body.text = all.substr(below(source_bytes - body_bytes), body_bytes);
}

void ContainsWorkload::prepare() {
    for (Body& body : bodies_) compute(body);
}

void ContainsWorkload::compute(Body& body) const {
    if (body.is_known) return;
    body.is_known = true;
    for (std::size_t f = 0; f < phrases_.size(); ++f) {
        if (body.text.find(phrases_[f]) != std::string::npos) body.connections.push_back(f % connections_);
    }
}

// Nothing is in front of the text or behind it, where it could join a phrase; the tail that differs holds no letter.
Workload::Item ContainsWorkload::next_item(std::uint64_t number) {
    Body& body = bodies_[below(bodies_.size())];
    compute(body);
    return {"a body", "bodies", "<body>" + body.text + "#" + std::to_string(number) + "</body>", body.connections};
}

}  // namespace sluice::load
