// `contains(body,'…')` with phrases of 8 to 32 letters of English-like text, against bodies of 8 KiB of it. Every
// second phrase is cut from such text. What holds is found by std::string::find, once for each of 64 bodies.
#pragma once

#include "tests/bench/load/workload.hpp"

namespace sluice::load {

class ContainsWorkload final : public Workload {
public:
    explicit ContainsWorkload(const WorkloadOptions& options);
    void prepare() override;

private:
    struct Body {
        std::string text;
        std::vector<std::size_t> connections;  // of the filters that hold; computed when first needed
        bool is_known = false;
    };

    Item next_item(std::uint64_t number) override;
    void compute(Body& body) const;

    std::vector<std::string> phrases_;
    std::size_t connections_;
    std::vector<Body> bodies_;
};

}  // namespace sluice::load
