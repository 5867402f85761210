#include "protocol/bytes/utf8.hpp"

#include "protocol/bytes/find.hpp"
#include "protocol/bytes/utf8_character.hpp"
#include "protocol/bytes/utf8_kernel.hpp"

namespace sluice::bytes {

namespace {

// Most texts are short and ASCII.
template <class Rule, class NotPlain>
std::size_t prefix(std::string_view text) {
    std::size_t at = text.size() < 2 * prefix_bytes_min ? find_in<NotPlain>(text) : 0;
    const std::size_t left = text.size() - at;
    if (left >= prefix_bytes_min) at += utf8_kernels().of(Rule())(text.data() + at, left);
    return prefix_by_character<Rule>(text, at);
}

}  // namespace

std::size_t utf8_prefix(std::string_view text) { return prefix<Utf8, NotAscii>(text); }

std::size_t xml_prefix(std::string_view text) { return prefix<XmlUtf8, NotXmlAscii>(text); }

}  // namespace sluice::bytes
