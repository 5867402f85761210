// Parts of an item that change without meaning, such as its number of comments. They are ignored when deciding whether
// an item has been updated. Immutable; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sluice::feed {

class IgnoredParts {
public:
    // Names of elements as they are written: "slash:comments". A leading '?' marks the name of a query parameter, of
    // any address in the item: "?fbclid". A trailing '*' then makes that a prefix: "?utm_*". None is empty; they must
    // outlive this.
    explicit IgnoredParts(std::span<const std::string> names) : names_(names) {}
    IgnoredParts() = default;  // nothing

    // Returns the source of an item, or an address, without these elements and parameters. The source is read as text,
    // in one pass, so look-alikes in a CDATA section are removed, too. Look-alikes without an end cost a search to the
    // source's end; after a few such searches no more elements are removed. `room` holds the result if anything is
    // removed.
    std::string_view without(std::string_view source, std::string& room) const;

private:
    struct Range {
        std::size_t begin, end;
    };

    std::size_t end_of_element(std::string_view source, std::size_t at, std::size_t& patience) const;
    std::size_t end_of_parameter(std::string_view source, std::size_t at) const;
    Range parameters_behind(std::string_view source, std::size_t at) const;

    std::span<const std::string> names_;
};

}  // namespace sluice::feed
