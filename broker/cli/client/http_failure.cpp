#include "broker/cli/client/http_failure.hpp"

#include <cerrno>
#include <cstdio>
#include <curl/curl.h>
#include <system_error>

#include "protocol/wire/http/problem.hpp"

namespace sluice::cli {

namespace {

// TLS's descriptions of alerts (RFC 8446, 6). Some servers use the general one where a certificate is wanted.
constexpr int handshake_failure = 40, bad_certificate = 42, certificate_unknown = 46, unknown_ca = 48,
              access_denied = 49, protocol_version = 70, certificate_required = 116;

std::string seconds(std::chrono::milliseconds duration) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", static_cast<double>(duration.count()) / 1000);
    return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string describe_timeout(const HttpFailure& failure) {
    const std::string& who = failure.authority;
    if (!failure.was_connected && failure.tls.has_begun)
        return "no secure connection to " + who + " within " + seconds(failure.connect_timeout) +
               " (is it http, not https?)";
    if (!failure.was_connected) return "can't connect to " + who + " within " + seconds(failure.connect_timeout);
    if (!failure.had_reply) return "no reply from " + who + " for " + seconds(failure.silence_max);
    return "no sign of " + who + " for " + seconds(failure.silence_max);
}

std::string describe_refusal(const HttpFailure& failure) {
    const int error = failure.system_error;
    std::string text = "can't connect to " + failure.authority + ": " +
                       (error != 0 ? std::generic_category().message(error) : failure.detail);
    if (!failure.is_socket) return text;
    if (error == ENOENT) text += " (does the broker run, and with this socket?)";
    if (error == ECONNREFUSED) text += " (the broker that made the socket has ended)";
    if (error == EACCES) text += " (writing to the socket and entering its folder must be permitted)";
    return text;
}

std::string describe_distrust(const HttpFailure& failure) {
    const std::string &issuer = failure.tls.unknown_issuer, &trusted = failure.files.trusted;
    const std::string text = "can't trust " + failure.authority + ": ";
    if (!issuer.empty() && trusted.empty())
        return text + "its certificate is issued by " + issuer +
               ", which this machine does not trust (--cacert FILE names certificates to trust)";
    if (!issuer.empty())
        return text + "its certificate is issued by " + issuer + ", which is not in " + trusted + " (--cacert FILE)";
    if (!failure.tls.distrust.empty()) return text + failure.tls.distrust;
    const std::string& names = failure.tls.names;
    return text + (names.empty() ? "its certificate names no host" : "its certificate is for " + names);
}

// Of a connection that the server ended by an alert before it replied.
std::string describe_alert(const HttpFailure& failure) {
    const int number = failure.tls.alert;
    const std::string& why = failure.tls.alert_text;
    const std::string& certificate = failure.files.certificate;
    const bool is_about_certificates = (number >= bad_certificate && number <= certificate_unknown) ||
                                       number == unknown_ca || number == access_denied ||
                                       number == certificate_required;
    if (failure.tls.wants_certificate && (is_about_certificates || number == handshake_failure)) {
        if (certificate.empty()) return failure.authority + " wants a client certificate (--cert FILE)";
        return failure.authority + " refuses the client certificate in " + certificate + ": " + why;
    }
    if (number == protocol_version)
        return "no secure connection to " + failure.authority + ": it speaks neither TLS 1.2 nor 1.3";
    return "no secure connection to " + failure.authority + ": it ends it by the alert '" + why + "'";
}

// What a server may do that got no certificate, or a wrong one, and is not patient enough to say so.
std::string hint_at_certificate(const HttpFailure& failure) {
    if (failure.had_reply || !failure.tls.wants_certificate) return "";
    const std::string& certificate = failure.files.certificate;
    return certificate.empty() ? " (it has asked for a client certificate: --cert FILE)"
                               : " (does it accept the client certificate in " + certificate + "?)";
}

std::string describe_end(const HttpFailure& failure) {
    if (failure.had_reply)
        return "lost the connection to " + failure.authority + ": it was closed in the middle of the reply";
    return "no reply from " + failure.authority + ": the connection was closed" + hint_at_certificate(failure);
}

std::string describe_handshake(const HttpFailure& failure) {
    const std::string text = "no secure connection to " + failure.authority + ": ";
    if (has(failure.detail, "wrong version number")) return text + "it does not speak TLS (is it http, not https?)";
    if (has(failure.detail, "unsupported protocol")) return text + "it speaks neither TLS 1.2 nor 1.3";
    if (has(failure.detail, "unexpected eof") || has(failure.detail, "SSL_ERROR_SYSCALL"))
        return text + "it closes the connection (is it http, not https?)";
    return text + failure.detail;
}

std::string describe_tunnel(const HttpFailure& failure) {
    constexpr unsigned wants_credentials = 407;
    const unsigned status = failure.tunnel_status;
    std::string text =
        "the proxy does not connect to " + failure.authority + ": its answer is " + std::to_string(status);
    if (const auto name = wire::reason_phrase(status); !name.empty()) text += " " + std::string(name);
    if (status != wants_credentials) return text;
    return text + "; it wants credentials of its own, which https_proxy names: http://USER:PASSWORD@PROXY";
}

}  // namespace

std::string describe_failure(const HttpFailure& failure) {
    const std::string& who = failure.authority;
    if (failure.tunnel_status >= 300 && !failure.was_connected) return describe_tunnel(failure);
    if (failure.tls.alert != 0 && !failure.had_reply) return describe_alert(failure);
    switch (failure.code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return "can't connect to " + who + ": there is no host of this name";
        case CURLE_COULDNT_RESOLVE_PROXY:
            return "can't connect to " + who + ": there is no host of the proxy's name";
        case CURLE_COULDNT_CONNECT:
            return describe_refusal(failure);
        case CURLE_OPERATION_TIMEDOUT:
            return describe_timeout(failure);
        case CURLE_PEER_FAILED_VERIFICATION:
            return describe_distrust(failure);
        case CURLE_SSL_CACERT_BADFILE:
            return "can't read the certificates in " + failure.files.trusted;
        case CURLE_SSL_CONNECT_ERROR:
            return describe_handshake(failure);
        case CURLE_GOT_NOTHING:
        case CURLE_PARTIAL_FILE:
            return describe_end(failure);
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY:
            return "the reply of " + who + " is not HTTP";
        default:
            if (has(failure.detail, "unexpected eof")) return describe_end(failure);  // TLS's word for it
            if (failure.is_too_long) return "the reply of " + who + " is too long";
            return (failure.had_reply ? "lost the connection to " : "no reply from ") + who + ": " + failure.detail +
                   hint_at_certificate(failure);
    }
}

}  // namespace sluice::cli
