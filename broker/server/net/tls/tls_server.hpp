// The certificates that TLS listeners show, and how they check those of clients. Any thread; reload() and
// have_files_changed() one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "broker/base/file_state.hpp"
#include "broker/server/net/tls/tls_session.hpp"
#include "config/options.hpp"

namespace sluice::server {

class TlsServer {
public:
    // Reads the files. Throws std::runtime_error, which names the file and says what is wrong.
    explicit TlsServer(const config::TlsOptions& options);
    ~TlsServer();

    // What a constructor would throw with these options; "": nothing, or there are no certificates to show.
    static std::string find_fault(const config::TlsOptions& options);

    TlsSession new_session() const;

    // Reads the files again, for sessions that begin from now on. Throws as above, and then keeps what it has.
    void reload();
    // Whether one of the files has changed since reload() was called, or since they were first read.
    bool have_files_changed() const;

    std::size_t certificates() const { return options_.certificates.size(); }
    std::chrono::system_clock::time_point expires() const;  // the first of the certificates to expire

private:
    struct Identities;

    std::shared_ptr<const Identities> identities() const;

    const config::TlsOptions options_;
    mutable std::mutex mutex_;
    std::vector<base::FileState> file_states_;  // when they were last read
    std::shared_ptr<const Identities> identities_;
};

}  // namespace sluice::server
