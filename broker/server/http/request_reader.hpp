// Parses the bytes of a connection into requests, without a socket: the session passes in arriving bytes, then asks for
// a head and for its body. The result does not depend on how the bytes are split. Everything is bounded before it is
// stored, since Beast's parser, which splits heads into fields, throws if a field is too long. It bounds neither their
// number nor, if they arrive one by one, their total size. Throws only bad_alloc. Belongs to one connection.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/chunked_body.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

inline constexpr std::size_t field_bytes_max = 32u << 10;  // one line of a head: Beast stores less than 64 KiB
inline constexpr std::size_t fields_max = 200;
inline constexpr std::size_t empty_lines_max = 8;  // before a request; some clients send them

class RequestReader {
public:
    using Head = http::request<http::empty_body, HeadFields>;
    enum class Step : std::uint8_t { more, done, refused };
    struct Refusal {
        unsigned status = 0;
        std::string reason;
    };

    static constexpr std::size_t read_bytes_max = 64u << 10;  // of one read

    explicit RequestReader(std::size_t head_bytes_max);

    // Offers room for the next bytes; commit() tells how many were put there. `wide`: as much as a read may have, for
    // further requests; without memory for that, less can be asked for.
    boost::asio::mutable_buffer prepare(bool wide = false);
    void commit(std::size_t bytes);
    // Whether requests come in a pipeline, and seem to be more than reads have room for.
    bool is_behind() const { return is_pipelined_ && has_filled_ && !is_wide_; }
    void narrow();  // frees the room for a pipeline or for parts of a body, if nothing is in it
    std::size_t input_bytes() const { return input_.size(); }  // not yet consumed
    std::size_t input_capacity() const { return input_.capacity(); }

    // Step::done: head() and the accessors below it are valid. After a refusal the connection must be closed.
    Step read_head();
    Step read_body(std::size_t body_bytes_max);
    // Likewise for a body of any length that is taken part by part: appends what has arrived to body(), which the
    // caller empties. Step::done: that was the last part.
    Step read_body_part();
    void next();  // begins another request; keeps bytes of it that have arrived
    void drop();  // frees the input and body; keeps head()

    // Of the current head; until it is done, those that have arrived.
    std::size_t head_bytes() const { return head_done_ ? head_bytes_ : input_.size(); }
    bool has_begun() const { return head_done_ || input_.size() > 0; }
    bool is_complete() const { return head_done_ && body_done_; }  // the start of the next request is known
    const Refusal& refusal() const { return refusal_; }

    // The head; of a refused one, as much as could be parsed.
    const Head& head() const { return parser_->get(); }
    bool keep_alive() const { return parser_->keep_alive(); }
    bool is_chunked() const { return parser_->chunked(); }
    std::optional<std::uint64_t> content_length() const;
    std::string& body() { return body_; }

private:
    using Parser = http::request_parser<http::empty_body, HeadFields::allocator_type>;

    void renew_parser();
    void lower_version(std::size_t head_bytes);
    std::string_view input() const { return {static_cast<const char*>(input_.cdata().data()), input_.size()}; }
    Step refuse(unsigned status, std::string reason);
    Step skip_empty_lines();
    Step find_head_end();
    Step parse_head(std::size_t bytes);
    Step refuse_large_body(std::size_t body_bytes_max);
    void drop_body();
    void make_room_for_body(std::size_t bytes);
    Step read_counted_body(std::size_t body_bytes_max);
    Step read_counted_part();
    Step read_chunked_body(std::size_t body_bytes_max);

    const std::size_t head_bytes_max_;
    boost::beast::flat_buffer input_;
    std::array<std::byte, 768> head_room_;  // for the fields of most heads: some eight, one of them a token
    std::pmr::monotonic_buffer_resource head_memory_{head_room_.data(), head_room_.size()};
    std::optional<Parser> parser_;
    std::size_t empty_lines_ = 0;
    std::size_t lines_ = 0;
    std::size_t line_begin_ = 0;  // of the head's first incomplete line
    std::size_t searched_ = 0;    // offset up to which its end has been searched for
    std::size_t head_bytes_ = 0;  // once the head is done
    bool head_done_ = false;
    bool body_done_ = false;
    std::uint64_t body_remaining_ = 0;
    std::uint64_t part_bytes_ = 0;  // of the last part of a body that is taken part by part
    ChunkedBody chunked_;
    std::string body_;
    Refusal refusal_;

    std::size_t offered_ = 0;    // to the last read
    bool has_filled_ = false;    // it took all of it
    bool is_wide_ = false;       // the input has had a wide read, or a body that is taken part by part
    bool is_pipelined_ = false;  // the current request has begun to arrive together with the one before
};

}  // namespace sluice::server
