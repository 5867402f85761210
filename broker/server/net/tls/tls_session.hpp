// TLS on a socket that does not block, as OpenSSL implements it. Each call does what is possible at once, and says what
// to wait for if that was nothing. Belongs to the connection's thread. The process must ignore SIGPIPE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct ssl_st;

namespace sluice::server {

class TlsSession {
public:
    enum class State : std::uint8_t { done, wants_read, wants_write, ended };

    // `bytes`: those transferred, more than 0 exactly if the state is `done`.
    struct Transfer {
        State state;
        std::size_t bytes = 0;
    };

    static constexpr std::size_t record_bytes = 16u << 10;  // of text in one record, at most

    // As OpenSSL's SSL_new() returned it; takes it over. `identities`: what its context refers to.
    TlsSession(ssl_st* session, std::shared_ptr<const void> identities);

    void attach(int socket);
    State shake_hands();
    // Why the handshake failed, such as "no shared cipher"; "": the connection ended.
    const std::string& failure() const { return failure_; }
    // Whether what came is plain HTTP.
    bool met_plain_http() const { return met_plain_http_; }

    Transfer read(char* into, std::size_t bytes);
    // After wants_write, the next call must begin with the same bytes.
    Transfer write(const char* from, std::size_t bytes);
    // Whether read() may return bytes without the socket being readable.
    bool may_have_bytes() const { return may_have_bytes_; }
    // Tells the peer that nothing more will come, if the connection is sound. Once.
    void end_sending() noexcept;

    // The common name of the certificate that the client has proved to own, or "".
    std::string user() const;

private:
    struct Free {
        void operator()(ssl_st* session) const noexcept;
    };

    State state_of(int result);
    void note_failure();

    std::shared_ptr<const void> identities_;
    std::unique_ptr<ssl_st, Free> session_;
    std::string failure_;
    bool is_open_ = false;  // the handshake is done, and nothing has failed
    bool may_have_bytes_ = false;
    bool met_plain_http_ = false;
};

}  // namespace sluice::server
