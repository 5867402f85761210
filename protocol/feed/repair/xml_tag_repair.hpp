// Writes a start tag as it should have been: attributes with quoted values, each once, and prefixes that are declared.
// Belongs to one repair.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/repair/xml_loose_tag.hpp"
#include "protocol/feed/repair/xml_reference_repair.hpp"
#include "protocol/feed/xml/namespace_scopes.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

class XmlTagRepair {
public:
    XmlTagRepair(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs, XmlReferenceRepair& references)
        : cursor_(cursor), edits_(edits), repairs_(repairs), references_(references) {}

    // Enters the scope of a start tag: reads its declarations, and marks the attributes that have to go. False: there
    // are more namespaces than the scanner accepts.
    bool enter(LooseTag& tag);
    // Leaves scopes until only this many bindings remain.
    void leave(std::size_t bindings) { scopes_.shrink(bindings); }
    std::size_t bindings() const { return scopes_.size(); }

    // Writes the tag that has been entered, and moves the cursor behind it. With `room`, a space stands before its '>'.
    void write(const LooseTag& tag, bool room);

    // The declarations of prefixes that nothing declares, for the root: " xmlns:p=\"…\"".
    std::string missing_declarations() const;

private:
    bool declare(LooseAttribute& attribute);
    bool is_full() const { return missing_.size() > NamespaceScopes::bindings_max; }
    std::string_view uri_of(std::string_view prefix, std::size_t offset);
    std::string_view value_of(const LooseAttribute& attribute);
    void drop(LooseAttribute& attribute, std::string_view reason);
    template <class Key>
    void drop_repeated(LooseTag& tag, const Key& key);
    void write_attribute(const LooseAttribute& attribute);
    void write_value(const LooseAttribute& attribute, char quote);

    XmlCursor& cursor_;
    XmlEdits& edits_;
    Repairs& repairs_;
    XmlReferenceRepair& references_;
    NamespaceScopes scopes_;
    std::map<std::string_view, std::string> missing_;  // by prefix
    std::deque<std::string> values_;                   // of declarations that are not plain
};

}  // namespace sluice::feed
