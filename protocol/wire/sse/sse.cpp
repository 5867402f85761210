#include "protocol/wire/sse/sse.hpp"

namespace sluice::wire {

void append_sse_data(std::string& out, std::string_view text) {
    for (;;) {
        const std::size_t end = text.find_first_of("\r\n");
        out += "data: ";
        out += text.substr(0, end);
        out += '\n';
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
    }
}

}  // namespace sluice::wire
