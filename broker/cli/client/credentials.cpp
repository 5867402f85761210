#include "broker/cli/client/credentials.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>

#include "broker/cli/common/input.hpp"
#include "broker/cli/common/secret_input.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

using Found = boost::system::result<Credentials, HttpError>;

constexpr std::size_t token_file_bytes_max = 64u << 10;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_visible(char c) { return c > ' ' && c < '\x7F'; }

std::string lower_name(std::string_view header) { return text::ascii_lower(header.substr(0, header.find(':'))); }

bool is_secret_header(const std::string& header) {
    const std::string name = lower_name(header);
    return name == "authorization" || name == "cookie" || name == "proxy-authorization";
}

std::string warning_about(const std::string& file) {
    constexpr mode_t of_others = S_IRWXG | S_IRWXO;
    struct stat status {};
    const bool is_open =
        stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & of_others) != 0;
    return is_open ? "others on this machine may read the credentials in " + file + " (chmod 600 " + file + ")" : "";
}

// RFC 6750 permits fewer; these can't end the header field.
bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_visible); }

std::string first_line(std::string_view text) { return std::string(text::trim(text.substr(0, text.find('\n')))); }

Found read_token(const std::string& file) {
    auto text = read_input(file, token_file_bytes_max);
    if (!text) return HttpError{"can't read the token in " + file + ": " + text.error().message()};
    Credentials found{.token = first_line(*text), .warning = warning_about(file)};
    if (!is_token(found.token))
        return HttpError{"the first line of " + file + " is not a token (sluice user token makes one)"};
    return found;
}

Found find_netrc(const CredentialOptions& options) {
    std::string file = options.netrc->empty() ? variable("NETRC") : *options.netrc;
    if (file.empty()) {
        const std::string home = variable("HOME");
        if (home.empty()) return HttpError{"HOME is not set, so --netrc needs a file: --netrc=FILE"};
        file = home + "/.netrc";
    }
    // libcurl takes a file that it can't read for an empty one.
    if (const auto text = read_input(file, token_file_bytes_max); !text)
        return HttpError{"can't read the credentials in " + file + ": " + text.error().message()};
    return Credentials{.user = options.user, .netrc = file, .warning = warning_about(file)};
}

Found find_password(const std::string& user) {
    if (const char* password = std::getenv("SLUICE_PASSWORD")) return Credentials{.user = user, .password = password};
    const auto password = ask_secret("Password of " + user + ": ");
    if (!password)
        return HttpError{"there is no terminal to ask for the password of " + user +
                         " (SLUICE_PASSWORD, --netrc or --token-file FILE give credentials without one)"};
    return Credentials{.user = user, .password = *password};
}

Found read_credentials(const CredentialOptions& options) {
    if (!options.token_file.empty()) return read_token(options.token_file);
    if (options.netrc) return find_netrc(options);
    if (!options.user.empty()) return find_password(options.user);
    Credentials found{.token = variable("SLUICE_TOKEN")};
    if (!found.token.empty() && !is_token(found.token)) return HttpError{"what SLUICE_TOKEN has is not a token"};
    return found;
}

// Where others on the way could read what is sent.
bool is_plain(const ServerUrl& server) { return !server.is_tls && !server.is_local; }

}  // namespace

bool Credentials::are_secret() const {
    return !token.empty() || !user.empty() || !netrc.empty() ||
           std::any_of(headers.begin(), headers.end(), is_secret_header);
}

Found find_credentials(const CredentialOptions& options, const ServerUrl& server) {
    for (const std::string& header : options.headers)
        if (const std::string fault = find_fault_in_header(header); !fault.empty()) return HttpError{fault};
    const bool has_secrets = !options.token_file.empty() || options.netrc || !options.user.empty() ||
                             !variable("SLUICE_TOKEN").empty() ||
                             std::any_of(options.headers.begin(), options.headers.end(), is_secret_header);
    // Before anything is asked.
    if (has_secrets && is_plain(server) && variable("SLUICE_ALLOW_PLAINTEXT") != "1")
        return HttpError{"credentials would go to " + server.authority +
                         " in plain text, which others can read on the way; use https://" + server.authority +
                         ", or set SLUICE_ALLOW_PLAINTEXT=1 where the network is trusted"};
    Found found = read_credentials(options);
    if (found) found->headers = options.headers;
    return found;
}

std::string find_fault_in_header(const std::string& header) {
    const auto colon = header.find(':');
    const std::string_view name = std::string_view(header).substr(0, colon);
    constexpr std::string_view separators = "()<>@,;:\\\"/[]?={}";
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
        return is_visible(c) && separators.find(c) == std::string_view::npos;
    });
    if (colon == std::string::npos || !is_name)
        return "--header must be of the form 'Name: value'";  // the value may be a secret
    const auto value = std::string_view(header).substr(colon + 1);
    if (value.find_first_not_of(" \t") == std::string_view::npos)
        return "--header " + std::string(name) + ": there is no value";
    if (std::any_of(value.begin(), value.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7F'; }))
        return "--header " + std::string(name) + ": the value has a control character, such as a line feed";
    for (const char* own : {"connection", "content-encoding", "content-length", "content-type", "expect", "host",
                            "last-event-id", "transfer-encoding", "user-agent"})
        if (lower_name(header) == own) return "--header " + std::string(name) + ": sluice sets this one itself";
    return "";
}

}  // namespace sluice::cli
