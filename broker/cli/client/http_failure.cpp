#include "broker/cli/client/http_failure.hpp"

#include <cstdio>
#include <curl/curl.h>
#include <system_error>

namespace sluice::cli {

namespace {

std::string seconds(std::chrono::milliseconds duration) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", static_cast<double>(duration.count()) / 1000);
    return text;
}

std::string describe_timeout(const HttpFailure& failure) {
    if (!failure.was_connected)
        return "can't connect to " + failure.authority + " within " + seconds(failure.connect_timeout);
    if (!failure.had_reply) return "no reply from " + failure.authority + " for " + seconds(failure.silence_max);
    return "no sign of " + failure.authority + " for " + seconds(failure.silence_max);
}

}  // namespace

std::string describe_failure(const HttpFailure& failure) {
    const std::string& who = failure.authority;
    switch (failure.code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return "can't connect to " + who + ": there is no host of this name";
        case CURLE_COULDNT_RESOLVE_PROXY:
            return "can't connect to " + who + ": there is no host of the proxy's name";
        case CURLE_COULDNT_CONNECT:
            return "can't connect to " + who + ": " +
                   (failure.system_error != 0 ? std::generic_category().message(failure.system_error) : failure.detail);
        case CURLE_OPERATION_TIMEDOUT:
            return describe_timeout(failure);
        case CURLE_PEER_FAILED_VERIFICATION:
            return "can't trust " + who + ": " + failure.detail + " (--cacert FILE names certificates to trust)";
        case CURLE_SSL_CACERT_BADFILE:
            return "can't read the certificates in " + failure.ca_file;
        case CURLE_SSL_CONNECT_ERROR:
            return "no secure connection to " + who + ": " + failure.detail +
                   (failure.detail.find("wrong version number") != std::string::npos ? " (is it http, not https?)"
                                                                                     : "");
        case CURLE_GOT_NOTHING:
            return "no reply from " + who + ": the connection was closed";
        case CURLE_PARTIAL_FILE:
            return "lost the connection to " + who + ": it was closed in the middle of the reply";
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY:
            return "the reply of " + who + " is not HTTP";
        default:
            if (failure.is_too_long) return "the reply of " + who + " is too long";
            return (failure.had_reply ? "lost the connection to " : "no reply from ") + who + ": " + failure.detail;
    }
}

}  // namespace sluice::cli
