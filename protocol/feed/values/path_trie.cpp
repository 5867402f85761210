#include "protocol/feed/values/path_trie.hpp"

#include <algorithm>
#include <functional>

namespace sluice::feed {

void PathTrie::add(const filter::AttributePath& path, const PathReader& reader) {
    std::uint32_t at = root;
    for (const std::string& name : path.children)
        at = name == "*" ? any(at, &Step::any_child) : named(at, Kind::child, name);
    if (path.last == filter::AttributePath::Last::text)
        at = any(at, &Step::text);
    else if (path.last == filter::AttributePath::Last::attribute)
        at = path.attribute == "*" ? any(at, &Step::any_attribute) : named(at, Kind::attribute, path.attribute);
    readers_.push_back({reader, steps_[at].readers});
    steps_[at].readers = static_cast<std::uint32_t>(readers_.size() - 1);
}

PathTrie::Origins PathTrie::origins() const {
    Origins origins(steps_.size());
    for (std::uint32_t e = 0; e < edges_.size(); ++e) origins[edges_[e].to] = {edges_[e].step, e};
    for (std::uint32_t at = root; at < steps_.size(); ++at) {
        for (const std::uint32_t to : {steps_[at].any_child, steps_[at].any_attribute, steps_[at].text})
            if (to != none) origins[to] = {at, none};
    }
    return origins;
}

filter::AttributePath PathTrie::path_to(std::uint32_t step, const Origins& origins) const {
    using Last = filter::AttributePath::Last;
    filter::AttributePath path;
    for (std::uint32_t at = step; at != root; at = origins[at].step) {
        const auto& [before, edge] = origins[at];
        const bool is_named = edge != none;
        const std::string name = is_named ? names_.substr(edges_[edge].name, edges_[edge].name_bytes) : "*";
        if (is_named ? edges_[edge].kind == Kind::child : at == steps_[before].any_child) {
            path.children.push_back(name);
        } else if (!is_named && at == steps_[before].text) {
            path.last = Last::text;
        } else {
            path.last = Last::attribute;
            path.attribute = name;
        }
    }
    std::reverse(path.children.begin(), path.children.end());
    return path;
}

std::uint32_t PathTrie::hash(std::uint32_t step, Kind kind, std::string_view name) {
    const std::size_t of_name = std::hash<std::string_view>{}(name);
    const std::size_t of_place = std::size_t{step} * 2 + static_cast<std::size_t>(kind);
    const std::size_t mixed = (of_name ^ of_place) * 0x9E3779B97F4A7C15u;
    return static_cast<std::uint32_t>(mixed >> 32);
}

std::uint32_t PathTrie::find(std::uint32_t step, Kind kind, std::string_view name) const {
    if (slots_.empty()) return none;
    const std::uint32_t wanted = hash(step, kind, name);
    for (std::size_t slot = wanted & (slots_.size() - 1); slots_[slot] != none;
         slot = (slot + 1) & (slots_.size() - 1)) {
        const Edge& edge = edges_[slots_[slot]];
        if (edge.hash == wanted && edge.step == step && edge.kind == kind &&
            std::string_view(names_).substr(edge.name, edge.name_bytes) == name)
            return edge.to;
    }
    return none;
}

std::uint32_t PathTrie::new_step() {
    steps_.emplace_back();
    return static_cast<std::uint32_t>(steps_.size() - 1);
}

std::uint32_t PathTrie::any(std::uint32_t step, std::uint32_t Step::*member) {
    if (steps_[step].*member != none) return steps_[step].*member;
    const std::uint32_t to = new_step();
    return steps_[step].*member = to;
}

std::uint32_t PathTrie::named(std::uint32_t step, Kind kind, std::string_view name) {
    if (const std::uint32_t known = find(step, kind, name); known != none) return known;
    const std::uint32_t to = new_step();
    (kind == Kind::child ? steps_[step].child_names : steps_[step].attribute_names) |= name_bit(name);
    edges_.push_back({step, to, hash(step, kind, name), static_cast<std::uint32_t>(names_.size()),
                      static_cast<std::uint32_t>(name.size()), kind});
    names_ += name;
    index(static_cast<std::uint32_t>(edges_.size() - 1));
    return to;
}

// Keeps at most half of the slots in use.
void PathTrie::index(std::uint32_t edge) {
    const auto put = [this](std::uint32_t e) {
        std::size_t slot = edges_[e].hash & (slots_.size() - 1);
        while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = e;
    };
    if (2 * edges_.size() <= slots_.size()) return put(edge);
    slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), none);
    for (std::uint32_t e = 0; e < edges_.size(); ++e) put(e);
}

}  // namespace sluice::feed
