// Any bytes as a whole connection: a sequence of requests, as a session reads them. The outcome does not depend on how
// the bytes are split, and no request takes more memory than its limits allow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "broker/server/http/request_reader.hpp"

namespace {

using sluice::server::RequestReader;

constexpr std::size_t head_bytes_max = 100'000;
constexpr std::size_t body_bytes_max = 10'000;

// Pseudo-random sizes, the same each time.
class Pieces {
public:
    explicit Pieces(std::uint32_t seed) : state_(seed) {}

    std::size_t next(std::size_t left) {
        if (state_ == 0) return left;
        state_ = state_ * 1'664'525 + 1'013'904'223;
        const std::size_t most = (state_ >> 16) % 16 == 0 ? 10'000 : 40;
        return std::min<std::size_t>(left, 1 + (state_ >> 8) % most);
    }

private:
    std::uint32_t state_;  // 0: everything at once
};

void check_head(const RequestReader::Head& head) {
    std::size_t fields = 0, bytes = head.target().size();
    for (const auto& field : head) {
        ++fields;
        bytes += field.name_string().size() + field.value().size();
    }
    if (fields > sluice::server::fields_max || bytes > head_bytes_max) std::abort();
}

// What the requests are, and how the connection ends.
std::string outcome(std::string_view bytes, Pieces pieces) {
    RequestReader reader(head_bytes_max);
    reader.next();
    std::string text;
    bool in_body = false;
    for (;;) {
        if (reader.input_bytes() > head_bytes_max + (64u << 10)) std::abort();
        if (reader.body().capacity() > 2 * body_bytes_max + (64u << 10)) std::abort();
        const auto step = in_body ? reader.read_body(body_bytes_max) : reader.read_head();
        if (step == RequestReader::Step::refused) {
            const auto& refusal = reader.refusal();
            if (refusal.status < 400 || refusal.status > 505 || refusal.reason.empty()) std::abort();
            return text + std::to_string(refusal.status) + refusal.reason;
        }
        if (step == RequestReader::Step::more) {
            if (bytes.empty()) return text + (reader.has_begun() ? "unfinished" : "end");
            const auto room = reader.prepare();
            const std::size_t n = std::min(room.size(), pieces.next(bytes.size()));
            std::memcpy(room.data(), bytes.data(), n);
            reader.commit(n);
            bytes.remove_prefix(n);
        } else if (!in_body) {
            check_head(reader.head());
            text += std::string(reader.head().method_string()) + ' ' + std::string(reader.head().target()) + '\n';
            for (const auto& field : reader.head())
                text += std::string(field.name_string()) + ':' + std::string(field.value()) + '\n';
            in_body = true;
        } else {
            if (!reader.is_complete() || reader.body().size() > body_bytes_max) std::abort();
            text += reader.body() + (reader.keep_alive() ? "\nkept\n" : "\nlast\n");
            if (!reader.keep_alive()) return text;
            in_body = false;
            reader.next();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string whole = outcome(bytes, Pieces(0));
    std::uint32_t seed = 1;
    for (const char c : bytes.substr(0, 64)) seed = seed * 31 + static_cast<unsigned char>(c);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        if (outcome(bytes, Pieces(seed * i | 1)) != whole) std::abort();
    }
    return 0;
}
