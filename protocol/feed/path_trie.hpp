// The paths of many attributes as one tree of steps: the paths that begin alike share their first nodes. Built once,
// then immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/filter/attribute.hpp"

namespace sluice {

// What becomes of the nodes that a path leads to: values of `attribute`.
struct PathReader {
    static constexpr std::uint32_t no_fold = ~std::uint32_t{0};

    std::uint32_t attribute = 0;
    Attribute::Function function = Attribute::Function::each;
    std::uint32_t fold = no_fold;  // index of the running result that makes one value of all nodes
};

using PathReaders = std::vector<PathReader>;

class PathTrie {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // A place that paths reach, an element. Names are in `order`.
    struct Step {
        PathReaders element, text, any_attribute;
        std::vector<std::pair<std::string, PathReaders>> attributes;
        std::vector<std::pair<std::string, std::uint32_t>> children;
        std::uint32_t any_child = none;

        bool reads_attributes() const { return !attributes.empty() || !any_attribute.empty(); }
        bool goes_on() const { return !children.empty() || any_child != none || !text.empty(); }
    };

    PathTrie() : steps_(1) {}
    void add(const AttributePath& path, const PathReader& reader);

    static constexpr std::uint32_t root = 0;
    const Step& operator[](std::uint32_t step) const { return steps_[step]; }
    // The step that `name` leads to, or none.
    static std::uint32_t child(const Step& step, std::string_view name);
    static const PathReaders* attribute(const Step& step, std::string_view name);

private:
    std::uint32_t child_made(std::uint32_t step, const std::string& name);

    std::vector<Step> steps_;
};

}  // namespace sluice
