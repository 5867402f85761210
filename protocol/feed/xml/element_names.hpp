// The names of a document's elements, as they were resolved: nearly every element has a name that another had before
// it. Belongs to one scanner.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/bytes/equal.hpp"
#include "protocol/feed/model/name_slot.hpp"
#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/xml/xml_names.hpp"

namespace sluice::feed {

struct ElementName {
    QName written;
    const KnownNamespace* known = nullptr;
    std::string_view uri;          // empty: no namespace
    std::string_view tree_prefix;  // with its colon
    std::string_view tree_name;
    bool is_as_written = true;  // in the tree
    bool is_declared = true;    // by the tree's declarations, so that they say what the document says

    bool is_plain() const { return is_as_written && is_declared; }

    // Of its normal form (XmlNormalizer).
    bool is_known_to_normalizer = false, is_ignored = false;
    std::size_t normal_begin = 0, normal_size = 0;  // where an element with this name has its mark and its name
};

// A name means the same in all tags of one scope: a number that no two sets of declarations share.
class ElementNames {
public:
    // The entry of the name in the scope; null if there is none. Valid until the next add().
    ElementName* find(std::string_view written, std::size_t scope) {
        const std::size_t place = places_[name_slot(written)];
        if (place == 0) return nullptr;
        Entry& entry = names_[place - 1];
        return entry.scope == scope && bytes::are_equal(entry.name.written.full, written) ? &entry.name : nullptr;
    }
    // Forgets another name if there are many.
    ElementName& add(const ElementName& name, std::size_t scope) {
        std::uint8_t& place = places_[name_slot(name.written.full)];
        if (place == 0) {
            names_.emplace_back();
            place = static_cast<std::uint8_t>(names_.size());
        }
        Entry& entry = names_[place - 1];
        entry = {scope, name};
        return entry.name;
    }

private:
    static constexpr std::size_t usual_names = 16;
    struct Entry {
        std::size_t scope = 0;
        ElementName name;
    };

    std::array<std::uint8_t, name_slots> places_{};  // 1 + index in `names_`; 0: none
    boost::container::small_vector<Entry, usual_names> names_;
};

}  // namespace sluice::feed
