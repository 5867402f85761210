#include "tests/unit/protocol/feed/damaged_text.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "protocol/feed/html/html_entities.hpp"

namespace sluice::feed {

void Mutator::mutate(std::string& text) {
    static const char* const pieces[] = {"<",
                                         ">",
                                         "&",
                                         "&amp;",
                                         "&lt;",
                                         "]]>",
                                         "]",
                                         "--",
                                         "<!--",
                                         "-->",
                                         "<![CDATA[",
                                         "\"",
                                         "'",
                                         "=",
                                         "/",
                                         " ",
                                         "\n",
                                         "\r",
                                         "\t",
                                         "<?p ?>",
                                         "?>",
                                         "<?",
                                         "<?xml",
                                         "&#",
                                         "&#65;",
                                         "&#x4E00;",
                                         "&#0;",
                                         "&#xD800;",
                                         "a",
                                         "a:",
                                         ":",
                                         "b='1'",
                                         " a:b='1' ",
                                         "xmlns",
                                         " xmlns='u'",
                                         " xmlns:a='v'",
                                         " xmlns:c='v'",
                                         " xmlns=''",
                                         " xmlns:a=''",
                                         "<b>",
                                         "</b>",
                                         "<b/>",
                                         "<a:b/>",
                                         "</",
                                         "/>",
                                         "\xC3\xA9",
                                         "\xE2\x80\x94",
                                         "\x01",
                                         "!",
                                         ";",
                                         "-",
                                         "xml",
                                         "<!",
                                         "1"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t size = std::min(below(8) + 1, text.size() - at);
    switch (below(4)) {
        case 0:
            text.erase(at, size);
            break;
        case 1:
            text.insert(below(text.size() + 1), text.substr(at, size));
            break;
        default:
            text.insert(at, pieces[below(std::size(pieces))]);
    }
}

std::string without_html_entities(std::string text) {
    for (std::size_t at = 0; (at = text.find('&', at)) != std::string::npos; ++at) {
        const std::size_t end = text.find(';', at);
        if (end == std::string::npos) break;
        const std::string_view character = html_entity(std::string_view(text).substr(at + 1, end - at - 1));
        if (!character.empty()) text.replace(at, end + 1 - at, character);
    }
    return text;
}

}  // namespace sluice::feed
