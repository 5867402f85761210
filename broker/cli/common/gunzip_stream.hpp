// Decompresses gzip as it comes (RFC 1952, several members; zeros behind one are padding). Its memory is bounded by
// what is put and taken at a time. Belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

class GunzipStream {
public:
    GunzipStream();
    GunzipStream(GunzipStream&&) noexcept;
    GunzipStream& operator=(GunzipStream&&) = delete;
    ~GunzipStream();

    // Compressed bytes that have come.
    void put(std::string_view bytes);
    // Writes at most `room` decompressed bytes and returns how many; none if what was put is not gzip.
    std::optional<std::size_t> take(char* to, std::size_t room);
    // Appends at most so many of them. Returns false if what was put is not gzip.
    bool take(std::string& to, std::size_t bytes_max);
    // Whether take() may find something before more is put.
    bool has_more() const;
    // Whether what was put may end here.
    bool is_complete() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice::cli
