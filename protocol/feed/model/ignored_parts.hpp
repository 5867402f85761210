// Parts of an item that change without meaning, such as its number of comments. They are ignored when deciding whether
// an item has been updated. Immutable; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/feed/model/namespaces.hpp"

namespace sluice::feed {

class IgnoredParts {
public:
    // Names of elements, as filters write them: "slash:comments". A leading '?' marks the name of a query parameter, of
    // any address in the item: "?fbclid". A trailing '*' then makes that a prefix: "?utm_*". None is empty; they must
    // outlive this.
    explicit IgnoredParts(std::span<const std::string> names) : names_(names) {
        for (const std::string& name : names) last_letters_ |= letter_bit(name.back());
    }
    IgnoredParts() = default;  // nothing

    // Whether an element is ignored: by its namespace if that is a known one, else by its prefix in the tree, which
    // comes with its colon.
    bool has_element(const KnownNamespace* known, std::string_view tree_prefix, std::string_view local) const;
    // Whether a key of what is not XML is ignored.
    bool has_key(std::string_view name) const { return has_element(nullptr, {}, name); }

    // Returns the address without the parameters: the one that never had them. A parameter whose value has characters
    // that no query has (RFC 3986 §3.4) stays, since that may be text behind the address. Parameters end at '&',
    // however it is escaped, and at ';'. `room` holds the result if anything is removed.
    std::string_view without_parameters(std::string_view address, std::string& room) const;

private:
    bool has_parameter(std::string_view parameter) const;

    static std::uint64_t letter_bit(char letter) {
        return std::uint64_t{1} << (static_cast<unsigned char>(letter) % 64);
    }

    std::span<const std::string> names_;
    std::uint64_t last_letters_ = 0;  // a bit for each that a name ends in: most elements are not looked for further
};

}  // namespace sluice::feed
