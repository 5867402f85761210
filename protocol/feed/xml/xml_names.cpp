#include "protocol/feed/xml/xml_names.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::feed {

namespace {

bool is_same(const XmlAttribute& a, const XmlAttribute& b) {
    return a.name.full == b.name.full || (!a.uri.empty() && a.name.local == b.name.local && a.uri == b.uri);
}

}  // namespace

bool read_qname(XmlCursor& cursor, QName& name, std::string_view what) {
    const std::size_t begin = cursor.at();
    std::string_view part = cursor.nc_name();
    if (part.empty()) return cursor.expected(what);
    if (cursor.take(':')) {
        name.prefix = part;
        part = cursor.nc_name();
        if (part.empty()) return cursor.expected("a name after ':'");
    }
    name.local = part;
    name.full = cursor.since(begin);
    return true;
}

const XmlAttribute* find_repeated(XmlAttributes& attributes) {
    constexpr std::size_t few = 8;
    if (attributes.size() <= few) {
        for (std::size_t i = 1; i < attributes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (is_same(attributes[i], attributes[k])) return &attributes[i];
            }
        }
        return nullptr;
    }
    const auto by_name = [](const XmlAttribute& a, const XmlAttribute& b) {
        return std::tie(a.name.local, a.uri, a.name.full, a.begin) <
               std::tie(b.name.local, b.uri, b.name.full, b.begin);
    };
    std::sort(attributes.begin(), attributes.end(), by_name);
    const auto found = std::adjacent_find(attributes.begin(), attributes.end(), is_same);
    return found == attributes.end() ? nullptr : &*(found + 1);
}

}  // namespace sluice::feed
