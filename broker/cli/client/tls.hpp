// What OpenSSL knows of the TLS connections that libcurl makes, and libcurl does not tell. Any thread; a connection's
// notes belong to the thread of its transfer.
#pragma once

#include <optional>
#include <string>

#include "broker/cli/client/tls_files.hpp"

namespace sluice::cli {

// Of one connection.
struct TlsNotes {
    std::string distrust;            // what is wrong with the server's certificate
    std::string unknown_issuer;      // of the server's certificate, if that alone is wrong
    std::string names;               // that the server's certificate is for: "localhost, 127.0.0.1"
    int alert = 0;                   // by which the server ended the connection, as TLS numbers them; 0: none
    std::string alert_text;          // "unknown CA"
    bool has_begun = false;          // the handshake, over a connection that the server has accepted
    bool wants_certificate = false;  // the server has asked for the client's
};

// Takes notes of connections of this SSL_CTX, as long as it lives. For CURLOPT_SSL_CTX_FUNCTION.
void take_notes(void* ssl_context, TlsNotes& notes);

// Why the files can't be used, in a line; none: they can.
std::optional<std::string> find_fault(const TlsFiles& files);

}  // namespace sluice::cli
