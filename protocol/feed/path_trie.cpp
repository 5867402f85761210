#include "protocol/feed/path_trie.hpp"

#include <algorithm>

namespace sluice {

namespace {

// By length first: most comparisons are then of two integers.
struct NameOrder {
    template <class Entry>
    bool operator()(const Entry& entry, std::string_view name) const {
        const std::string_view a = entry.first;
        return a.size() != name.size() ? a.size() < name.size() : a < name;
    }
};

template <class Entries>
auto position(Entries& entries, std::string_view name) {
    return std::lower_bound(entries.begin(), entries.end(), name, NameOrder{});
}

}  // namespace

void PathTrie::add(const AttributePath& path, const PathReader& reader) {
    std::uint32_t at = root;
    for (const std::string& name : path.children) at = child_made(at, name);
    Step& step = steps_[at];
    switch (path.last) {
        case AttributePath::Last::element:
            step.element.push_back(reader);
            return;
        case AttributePath::Last::text:
            step.text.push_back(reader);
            return;
        case AttributePath::Last::attribute:
            break;
    }
    if (path.attribute == "*") {
        step.any_attribute.push_back(reader);
        return;
    }
    auto found = position(step.attributes, path.attribute);
    if (found == step.attributes.end() || found->first != path.attribute) {
        found = step.attributes.insert(found, {path.attribute, {}});
    }
    found->second.push_back(reader);
}

std::uint32_t PathTrie::child(const Step& step, std::string_view name) {
    const auto found = position(step.children, name);
    return found != step.children.end() && found->first == name ? found->second : none;
}

const PathReaders* PathTrie::attribute(const Step& step, std::string_view name) {
    const auto found = position(step.attributes, name);
    return found != step.attributes.end() && found->first == name ? &found->second : nullptr;
}

std::uint32_t PathTrie::child_made(std::uint32_t step, const std::string& name) {
    const auto next = static_cast<std::uint32_t>(steps_.size());
    if (name == "*") {
        if (steps_[step].any_child != none) return steps_[step].any_child;
        steps_[step].any_child = next;
    } else {
        auto& children = steps_[step].children;
        const auto found = position(children, name);
        if (found != children.end() && found->first == name) return found->second;
        children.insert(found, {name, next});
    }
    steps_.emplace_back();
    return next;
}

}  // namespace sluice
