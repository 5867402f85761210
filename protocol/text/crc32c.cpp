#include "protocol/text/crc32c.hpp"

#include <boost/crc.hpp>
#include <cstring>

namespace sluice::text {

std::uint32_t crc32c_by_table(std::string_view bytes) {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

#if defined(__x86_64__)

namespace {

// Intel's and AMD's processors have an instruction for this very polynomial.
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes) {
    std::uint64_t crc = 0xFFFFFFFF;
    while (bytes.size() >= sizeof crc) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        crc = __builtin_ia32_crc32di(crc, word);
        bytes.remove_prefix(sizeof word);
    }
    auto rest = static_cast<std::uint32_t>(crc);
    for (const char byte : bytes) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(byte));
    return ~rest;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
    return has_instruction ? crc32c_by_instruction(bytes) : crc32c_by_table(bytes);
}

#else

std::uint32_t crc32c(std::string_view bytes) { return crc32c_by_table(bytes); }

#endif

}  // namespace sluice::text
