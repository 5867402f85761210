#include "broker/cli/common/gunzip_stream.hpp"

#include <algorithm>
#include <new>
#include <zlib.h>

namespace sluice::cli {

struct GunzipStream::State {
    State() {
        constexpr int gzip_only = 16 + MAX_WBITS;
        if (inflateInit2(&stream, gzip_only) != Z_OK) throw std::bad_alloc();
    }
    ~State() { inflateEnd(&stream); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    z_stream stream{};
    std::string input{};
    std::size_t begin = 0;         // of what has not been decompressed in it
    bool is_between = false;       // a member has ended, and no other has begun
    bool may_have_output = false;  // zlib has filled all of the room it was given
};

GunzipStream::GunzipStream() : state_(std::make_unique<State>()) {}
GunzipStream::GunzipStream(GunzipStream&&) noexcept = default;
GunzipStream::~GunzipStream() = default;

void GunzipStream::put(std::string_view bytes) {
    state_->input.erase(0, state_->begin);
    state_->begin = 0;
    state_->input += bytes;
}

std::optional<std::size_t> GunzipStream::take(char* to, std::size_t room) {
    State& state = *state_;
    z_stream& stream = state.stream;
    std::size_t filled = 0;
    bool is_valid = true;
    state.may_have_output = false;
    while (filled < room) {
        if (state.is_between) {
            state.begin = std::min(state.input.find_first_not_of('\0', state.begin), state.input.size());
            if (state.begin == state.input.size()) break;
            state.is_between = false;
        }
        stream.next_in = reinterpret_cast<Bytef*>(state.input.data() + state.begin);
        stream.avail_in = static_cast<uInt>(state.input.size() - state.begin);
        stream.next_out = reinterpret_cast<Bytef*>(to + filled);
        stream.avail_out = static_cast<uInt>(room - filled);
        const int status = inflate(&stream, Z_NO_FLUSH);
        state.begin = state.input.size() - stream.avail_in;
        filled = room - stream.avail_out;
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END) {
            inflateReset(&stream);
            state.is_between = true;
        } else if (status != Z_OK) {
            is_valid = status == Z_BUF_ERROR;  // more has to come
            break;
        }
    }
    state.may_have_output = filled == room && !state.is_between;
    if (!is_valid) return std::nullopt;
    return filled;
}

bool GunzipStream::take(std::string& to, std::size_t bytes_max) {
    const std::size_t before = to.size();
    to.resize(before + bytes_max);
    const std::optional<std::size_t> filled = take(to.data() + before, bytes_max);
    to.resize(before + filled.value_or(0));
    return filled.has_value();
}

bool GunzipStream::has_more() const { return state_->may_have_output || state_->begin < state_->input.size(); }

bool GunzipStream::is_complete() const { return state_->is_between && !has_more(); }

}  // namespace sluice::cli
