#include "protocol/bytes/find.hpp"
#include "protocol/bytes/find_blocks.hpp"

namespace sluice::bytes {

namespace {

std::size_t exponent_byte_by_byte(const char* text, std::size_t size) {
    for (std::size_t at = 0; at + 1 < size; ++at) {
        const char c = text[at + 1];
        const bool begins = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '\0';
        if (begins && (text[at] == 'e' || text[at] == 'E')) return at;
    }
    return size;
}

#ifdef __SSE2__
template <class Set>
constexpr Find find_by_blocks = find_in_blocks<Set, Bytes16>;
#else
template <class Set>
constexpr Find find_by_blocks = [](const char* text, std::size_t size) {
    return find_byte_by_byte<Set>({text, size}, 0);
};
#endif

}  // namespace

namespace portable {
extern const FindKernels all_find_kernels{
    find_by_blocks<XmlTextEnd>,       find_by_blocks<XmlValueEnd>, find_by_blocks<AddressMark>,
    find_by_blocks<XmlValueResolved>, find_by_blocks<JsonQuote>,   find_by_blocks<JsonStringEnd>,
    find_by_blocks<JsonSpace>,        find_by_blocks<JsonEscaped>, find_by_blocks<JsonSpecial>,
    find_by_blocks<NotAscii>,         find_by_blocks<NotXmlAscii>, exponent_byte_by_byte,
};
}  // namespace portable

}  // namespace sluice::bytes
