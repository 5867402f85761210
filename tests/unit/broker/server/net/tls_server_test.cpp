// The rest of TLS is tested with real clients, in tests/e2e/tls_test.py.
#include "broker/server/net/tls/tls_server.hpp"

#include <catch2/catch.hpp>

TEST_CASE("TlsServer: the faults of files are found without listening") {
    using sluice::server::TlsServer;
    sluice::config::TlsOptions options;
    CHECK(TlsServer::find_fault(options).empty());
    options.certificates = {{"/nowhere/a.pem", "/nowhere/a.key"}};
    CHECK(TlsServer::find_fault(options) == "tls.certificates: /nowhere/a.pem: No such file or directory");
}
