// The files of a client's TLS, in PEM. A plain value.
#pragma once

#include <string>

namespace sluice::cli {

struct TlsFiles {
    std::string trusted;      // certificates; empty: the system's
    std::string certificate;  // the client's, followed by those between it and a trusted one; empty: none
    std::string key;          // the certificate's; empty: it is in the same file
};

}  // namespace sluice::cli
