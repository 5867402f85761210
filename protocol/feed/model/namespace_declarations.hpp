// The namespace declarations of a document, each with the element that has it. The scanner adds them in document order;
// afterwards it is immutable, and any thread may read it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/feed/model/make_room.hpp"
#include "protocol/feed/model/text_arena.hpp"

namespace sluice::feed {

class NamespaceDeclarations {
public:
    static constexpr std::size_t none = ~std::size_t{0};

    struct Declaration {
        std::string_view prefix;   // empty: the default namespace
        std::string_view uri;      // as a reader of the document sees it; empty: no namespace
        std::size_t begin = 0;     // of the element's start tag
        std::size_t end = none;    // behind the element
        std::size_t outer = none;  // index of the next declaration in scope, outwards
    };

    // The element whose start tag is at `begin` declares the prefix. The views must outlive this.
    void open(std::string_view prefix, std::string_view uri, std::size_t begin) {
        make_room(all_);
        all_.push_back({prefix, uri, begin, none, innermost_});
        innermost_ = all_.size() - 1;
    }
    // The element that has the innermost open declaration ends before `end`.
    void close(std::size_t end) {
        all_[innermost_].end = end;
        innermost_ = all_[innermost_].outer;
    }
    // Owns a URI that is not written plainly.
    std::string_view keep(std::string uri) { return uris_.keep(std::move(uri)); }

    // The innermost declaration around the element that begins at this offset; its own are not around it. `none`: there
    // is none.
    std::size_t around(std::size_t element) const;
    // Searches the declarations in scope, from this index outwards, for the prefix. Null: not declared.
    const Declaration* find(std::size_t from, std::string_view prefix) const;

    std::size_t memory_bytes() const { return all_.capacity() * sizeof(Declaration) + uris_.bytes(); }

private:
    std::vector<Declaration> all_;  // in document order
    std::size_t innermost_ = none;  // of the open ones
    TextArena uris_;
};

}  // namespace sluice::feed
