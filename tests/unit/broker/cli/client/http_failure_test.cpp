#include "broker/cli/client/http_failure.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <curl/curl.h>

using namespace sluice::cli;

namespace {

HttpFailure of(int code) {
    HttpFailure failure;
    failure.code = code;
    failure.authority = "host:1";
    failure.connect_timeout = std::chrono::seconds(10);
    return failure;
}

}  // namespace

TEST_CASE("describe_failure: a certificate that is not trusted → its issuer and what to do") {
    auto failure = of(CURLE_PEER_FAILED_VERIFICATION);
    failure.tls.unknown_issuer = "CN=a";
    CHECK_THAT(describe_failure(failure), Catch::Contains("issued by CN=a, which this machine does not trust") &&
                                              Catch::Contains("--cacert FILE names certificates to trust"));
    failure.files.trusted = "ca.pem";
    CHECK_THAT(describe_failure(failure), Catch::Contains("issued by CN=a, which is not in ca.pem"));
    failure.tls = {};
    failure.tls.names = "a.example, 127.0.0.1";
    CHECK(describe_failure(failure) == "can't trust host:1: its certificate is for a.example, 127.0.0.1");
}

TEST_CASE("describe_failure: an alert about certificates → what of the client's is wrong") {
    auto failure = of(CURLE_RECV_ERROR);
    failure.tls.wants_certificate = true;
    for (const int alert : {40, 42, 49, 116}) {
        CAPTURE(alert);
        failure.tls.alert = alert;
        CHECK(describe_failure(failure) == "host:1 wants a client certificate (--cert FILE)");
    }
    failure.tls.alert = 48;
    failure.tls.alert_text = "unknown CA";
    failure.files.certificate = "c.pem";
    CHECK(describe_failure(failure) == "host:1 refuses the client certificate in c.pem: unknown CA");
    failure.tls.wants_certificate = false;
    CHECK(describe_failure(failure) == "no secure connection to host:1: it ends it by the alert 'unknown CA'");
}

TEST_CASE("describe_failure: the end of a connection without a word → a hint at the certificate that was wanted") {
    auto failure = of(CURLE_GOT_NOTHING);
    CHECK(describe_failure(failure) == "no reply from host:1: the connection was closed");
    failure.tls.wants_certificate = true;
    CHECK_THAT(describe_failure(failure), Catch::EndsWith(" (it has asked for a client certificate: --cert FILE)"));
    failure.files.certificate = "c.pem";
    CHECK_THAT(describe_failure(failure), Catch::EndsWith(" (does it accept the client certificate in c.pem?)"));
    failure.had_reply = true;
    CHECK_THAT(describe_failure(failure), Catch::EndsWith(": it was closed in the middle of the reply"));
}

TEST_CASE("describe_failure: no connection to a Unix socket → why") {
    auto failure = of(CURLE_COULDNT_CONNECT);
    failure.system_error = EACCES;
    CHECK(describe_failure(failure) == "can't connect to host:1: Permission denied");
    failure.is_socket = true;
    CHECK_THAT(describe_failure(failure), Catch::Contains("writing to the socket and entering its folder"));
    failure.system_error = ENOENT;
    CHECK_THAT(describe_failure(failure), Catch::Contains("does the broker run"));
}
