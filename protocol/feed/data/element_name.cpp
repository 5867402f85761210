#include "protocol/feed/data/element_name.hpp"

#include <algorithm>

#include "protocol/text/portable_names.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

std::string element_name(std::string_view key) {
    std::string name;
    bool has_colon = false;
    for (std::size_t at = 0; at < key.size();) {
        const text::Utf8Char c = text::utf8_at(key, at);
        const std::string_view bytes = key.substr(at, std::max<std::size_t>(c.length, 1));
        at += bytes.size();
        const bool is_inner_colon = c.code == ':' && !has_colon && !name.empty() && at < key.size() &&
                                    text::is_portable_name_start(text::utf8_at(key, at).code);
        has_colon = has_colon || is_inner_colon;
        if (is_inner_colon || text::is_portable_name_char(c.code)) {
            if (name.empty() && !text::is_portable_name_start(c.code)) name += '_';
            name += bytes;
        } else {
            name += '_';
        }
    }
    return name.empty() ? "_" : name;
}

}  // namespace sluice::feed
