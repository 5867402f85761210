#include "protocol/feed/encoding/iconv_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>
#include <memory>
#include <type_traits>

namespace sluice::feed {

namespace {

// Converts until iconv ends or stops at a fault; `bytes` becomes what is left. Returns iconv's error, or 0.
int convert_part(iconv_t handle, std::string_view& bytes, Decoded& decoded, std::size_t bytes_max) {
    std::array<char, 16 << 10> buffer;
    while (true) {
        char* in = const_cast<char*>(bytes.data());  // iconv does not write to its input
        char* out = buffer.data();
        std::size_t in_left = bytes.size(), out_left = buffer.size();
        const bool is_done = iconv(handle, &in, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
        const int error = is_done ? 0 : errno;
        bytes.remove_prefix(bytes.size() - in_left);
        const std::string_view part(buffer.data(), buffer.size() - out_left);
        decoded.text += part;
        decoded.characters += static_cast<std::size_t>(
            std::count_if(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
        decoded.is_too_large = decoded.text.size() > bytes_max;
        if (error != E2BIG || decoded.is_too_large) return error;
    }
}

}  // namespace

bool is_read_by_iconv(std::string_view encoding) {
    return encoding.starts_with("ISO-2022-") && encoding != "ISO-2022-JP";
}

Decoded decode_with_iconv(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault) {
    Decoded decoded;
    const iconv_t opened = iconv_open("UTF-8", encoding.data());
    if (opened == reinterpret_cast<iconv_t>(-1)) {  // iconv's API
        decoded.is_unavailable = true;
        return decoded;
    }
    const std::unique_ptr<std::remove_pointer_t<iconv_t>, int (*)(iconv_t)> handle(opened, iconv_close);
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const int error = convert_part(handle.get(), rest, decoded, bytes_max);
        if (error == 0 || decoded.is_too_large) return decoded;
        const bool is_cut_off = error == EINVAL;
        note_fault(decoded, {bytes.size() - rest.size(), decoded.text.size()}, is_cut_off);
        if (on_fault == OnFault::stop) return decoded;
        decoded.text += "\xEF\xBF\xBD";
        rest.remove_prefix(is_cut_off ? rest.size() : 1);
    }
    decoded.is_too_large = decoded.text.size() > bytes_max;
    return decoded;
}

}  // namespace sluice::feed
