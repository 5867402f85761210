// Parts of an item that change without meaning, such as its number of comments. They are ignored when deciding whether
// an item has been updated. Immutable; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::feed {

class IgnoredParts {
public:
    // Names of elements as they are written: "slash:comments". A leading '?' marks the name of a query parameter, of
    // any address in the item: "?fbclid". A trailing '*' then makes that a prefix: "?utm_*".
    explicit IgnoredParts(std::span<const std::string> names);

    // Returns the source of an item without these elements and parameters. The source is read as text, in one pass for
    // each name, so look-alikes in a CDATA section are removed, too. `room` holds the result if anything is removed.
    std::string_view without(std::string_view source, std::string& room) const;

private:
    using Range = std::pair<std::size_t, std::size_t>;  // offsets: the first, and the one behind the last

    struct Parameter {
        std::string name;
        bool is_prefix;
    };

    std::vector<std::string> open_tags_;  // "<slash:comments"
    std::vector<Parameter> parameters_;
};

}  // namespace sluice::feed
