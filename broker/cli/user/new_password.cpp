#include "broker/cli/user/new_password.hpp"

#include <stdexcept>
#include <utility>

#include "broker/auth/password.hpp"
#include "broker/auth/secrets.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/secret_input.hpp"

namespace sluice::cli {

namespace {

std::string password_from_stdin() {
    auto text = read_input("-", auth::password_bytes_max + 2);  // the end of the line
    if (!text && text.error() == boost::system::errc::file_too_large)
        return std::string(auth::password_bytes_max + 1, ' ');
    if (!text) throw std::runtime_error("can't read the password from standard input: " + text.error().message());
    if (text->ends_with('\n')) text->pop_back();
    if (text->ends_with('\r')) text->pop_back();
    if (text->find('\n') != std::string::npos)
        throw std::runtime_error("--password-stdin expects one line, which is the password");
    return std::move(*text);
}

std::string password_from_terminal(const std::string& user) {
    auto first = ask_secret("New password of " + user + ": ");
    if (!first)
        throw std::runtime_error(
            "there is no terminal to ask for the password on; --password-stdin reads it from standard input");
    auto second = ask_secret("The same again: ");
    const bool is_same = second && *first == *second;
    if (second) auth::wipe(*second);
    if (!is_same) throw std::runtime_error("the passwords differ; nothing was changed");
    return std::move(*first);
}

}  // namespace

std::string new_password_hash(const PasswordOptions& options) {
    std::string password = options.from_stdin ? password_from_stdin() : password_from_terminal(options.name);
    if (password.empty()) throw std::runtime_error("the password is empty; nothing was changed");
    if (password.size() > auth::password_bytes_max || password.find('\0') != std::string::npos)
        throw std::runtime_error("a password has at most " + std::to_string(auth::password_bytes_max) +
                                 " bytes, and no byte 0; nothing was changed");
    std::string hash = auth::hash_password(password);
    auth::wipe(password);
    return hash;
}

}  // namespace sluice::cli
