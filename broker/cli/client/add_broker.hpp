// The options of commands that talk to a broker. Called from main, on one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

#include "broker/cli/client/broker_options.hpp"

namespace sluice::cli {

inline std::chrono::milliseconds read_seconds(const std::string& text) {
    constexpr double seconds_max = 1e6;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0.001 && seconds <= seconds_max))
        throw CLI::ValidationError("--timeout must be a number of seconds from 0.001 to 1000000, not " + text);
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

inline std::string read_user(const std::string& name) {
    if (name.find(':') != std::string::npos)
        throw CLI::ValidationError(
            "--user takes the name alone: everybody on this machine can read a command line, so the password comes "
            "from "
            "SLUICE_PASSWORD, --netrc or the terminal");
    if (name.empty()) throw CLI::ValidationError("--user needs a name");
    return name;
}

inline void add_credentials(CLI::App& command, CredentialOptions& options) {
    auto* user = command
                     .add_option_function<std::string>(
                         "--user", [&options](const std::string& name) { options.user = read_user(name); },
                         "User name; the password comes from SLUICE_PASSWORD, --netrc or a prompt on the terminal")
                     ->type_name("NAME");
    auto* token = command
                      .add_option("--token-file", options.token_file,
                                  "File whose first line is the access token (default: SLUICE_TOKEN)")
                      ->type_name("FILE")
                      ->excludes(user);
    // A flag that may have a value: as an option it would take what follows for the file.
    const std::string netrc_text =
        "Take the name and password from a netrc file: $NETRC, else ~/.netrc, or --netrc=FILE";
    command.add_flag("--netrc", netrc_text)->excludes(token)->each([&options](const std::string& value) {
        options.netrc = value == "true" ? "" : value;
    });
    command
        .add_option("--header", options.headers,
                    "Header field to add to each request, for example for a proxy; may be repeated")
        ->allow_extra_args(false)
        ->type_name("'NAME: VALUE'");
}

inline void add_broker(CLI::App& command, BrokerOptions& options, const char* timeout_default) {
    command
        .add_option("--server", options.server,
                    "The broker's URL: http or https, perhaps with a path, or unix:PATH of a socket")
        ->envname("SLUICE_SERVER")
        ->capture_default_str();
    command
        .add_option_function<std::string>(
            "--timeout", [&options](const std::string& text) { options.timeout = read_seconds(text); },
            std::string("Give up when the broker is silent for so long (default: ") + timeout_default + ")")
        ->type_name("SECONDS");
    command
        .add_option("--cacert", options.tls.trusted,
                    "https: trust the certificates in this file, PEM, and those that they sign (default: the system's)")
        ->envname("SLUICE_CACERT")
        ->type_name("FILE");
    auto* certificate = command
                            .add_option("--cert", options.tls.certificate,
                                        "https: the client certificate, PEM, with those that lead to its issuer")
                            ->envname("SLUICE_CERT")
                            ->type_name("FILE");
    command
        .add_option("--key", options.tls.key,
                    "https: the client certificate's key, PEM (default: it is in --cert's file)")
        ->envname("SLUICE_KEY")
        ->type_name("FILE")
        ->needs(certificate);
    add_credentials(command, options.credentials);
}

}  // namespace sluice::cli
