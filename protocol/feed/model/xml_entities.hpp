// The entities that a document declares: those with plain text; others are known but can't be used. Their literals are
// views of the document's text. Plain values.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

namespace sluice::feed {

// Entities with markup, with references to other entities, or with external text can't be used.
struct XmlEntity {
    std::string_view literal;  // its value in the declaration
    bool usable = false;
};

class XmlEntities {
public:
    // The first declaration of a name counts.
    void add(std::string_view name, const XmlEntity& entity) { entities_.try_emplace(name, entity); }
    // Null: it is not declared.
    const XmlEntity* find(std::string_view name) const {
        const auto found = entities_.find(name);
        return found == entities_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return entities_.size(); }
    std::size_t memory_bytes() const { return entities_.size() * node_bytes; }

private:
    static constexpr std::size_t node_bytes = 96;  // with the headers of the map and of malloc

    std::map<std::string_view, XmlEntity> entities_;
};

}  // namespace sluice::feed
