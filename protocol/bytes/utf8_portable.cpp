#include "protocol/bytes/find.hpp"
#include "protocol/bytes/utf8_character.hpp"

namespace sluice::bytes {

namespace {

// Passes plain ASCII by vectors.
template <class Rule, class NotPlain>
std::size_t prefix_by_runs(const char* bytes, std::size_t size) {
    const std::string_view text(bytes, size);
    std::size_t at = 0;
    while (true) {
        at = find_in<NotPlain>(text, at);
        while (at < size && NotPlain::has(text[at])) {
            const std::size_t character = character_size(Rule(), text, at);
            if (character == 0) return at;
            at += character;
        }
        if (at == size) return size;
    }
}

}  // namespace

namespace portable {
extern const Utf8Kernels all_utf8_kernels{prefix_by_runs<Utf8, NotAscii>, prefix_by_runs<XmlUtf8, NotXmlAscii>};
}

}  // namespace sluice::bytes
