#include <set>

#include "config/schema.hpp"

namespace sluice::config {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t listeners_max = 32, certificates_max = 256;

std::string check_file(const std::string& path) {
    return path.empty() || path.find('\0') != std::string::npos ? "expected the path of a file" : "";
}

// A Unix socket's address has room for 108 bytes with a NUL.
std::string check_socket_path(const std::string& path) {
    constexpr std::size_t bytes_max = 107;
    if (!path.starts_with('/') || path.find('\0') != std::string::npos) return "expected an absolute path";
    return path.size() > bytes_max ? "longer than " + std::to_string(bytes_max) + " bytes" : "";
}

// "0660", as chmod takes it.
std::string check_mode(const std::string& text) {
    const bool is_octal = text.find_first_not_of("01234567") == std::string::npos;
    return is_octal && (text.size() == 3 || (text.size() == 4 && text.front() == '0'))
               ? ""
               : "expected permissions, such as 0660";
}

void read_listener(Section& s, ListenerOptions& o) {
    std::string mode;
    s.ip_address("address", o.address);
    s.integer("port", o.port, 0, 65'535);
    s.text("unix", o.unix_path, check_socket_path);
    s.text("mode", mode, check_mode);
    s.boolean("tls", o.tls);
    s.boolean("proxy_protocol", o.proxy_protocol);
    if (!mode.empty()) o.mode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
    const bool is_unix = s.has("unix");
    if (s.has("address") == is_unix || s.has("port") == is_unix)
        s.fault(s.name() + ": expected address and port, or unix");
    else if (s.has("mode") && !is_unix)
        s.fault(s.name() + ".mode: only a Unix socket has permissions");
    else if (o.tls && is_unix)
        s.fault(s.name() + ".tls: a Unix socket needs none, what is sent does not leave the machine");
}

void read_certificate(Section& s, CertificateOptions& o) {
    s.text("certificate", o.certificate, check_file);
    s.text("key", o.key, check_file);
    if (!s.has("certificate") || !s.has("key")) s.fault(s.name() + ": expected certificate and key");
}

void add_repeated(const std::vector<ListenerOptions>& listeners, std::vector<std::string>& found) {
    std::set<std::string> places;
    for (const ListenerOptions& place : listeners) {
        const bool is_any_port = !place.is_unix() && place.port == 0;
        if (!is_any_port && !places.insert(place.text()).second)
            found.push_back("http.listeners: " + place.text() + " is there twice; leave one out");
    }
}

}  // namespace

void read_listeners(Section& s, std::vector<ListenerOptions>& listeners) {
    std::vector<ListenerOptions> read;
    if (s.items("listeners", listeners_max, [&](Section& item) { read_listener(item, read.emplace_back()); }))
        listeners = std::move(read);
}

void read_tls(Section& s, TlsOptions& o) {
    std::vector<CertificateOptions> certificates;
    if (s.items("certificates", certificates_max,
                [&](Section& item) { read_certificate(item, certificates.emplace_back()); }))
        o.certificates = std::move(certificates);
    s.choice<ClientCertificates>("client_certificates", o.client_certificates,
                                 {{"none", ClientCertificates::none},
                                  {"request", ClientCertificates::request},
                                  {"require", ClientCertificates::require}});
    s.text("client_ca", o.client_ca);
    s.duration("handshake_timeout", o.handshake_timeout, 10ms, 1h);
}

std::vector<std::string> conflicts(const Options& options) {
    std::vector<std::string> found;
    const bool is_default = options.http.listeners.empty();
    const std::string name = is_default ? "http.address" : "http.listeners";
    bool has_tls = false, has_proxy = false;
    for (const ListenerOptions& place : places_to_listen(options.http)) {
        has_tls = has_tls || place.tls;
        has_proxy = has_proxy || place.proxy_protocol;
        if (place.is_unix() || place.tls || options.http.allow_plaintext || is_loopback_address(place.address))
            continue;
        found.push_back(name + ": others could read and change what is sent to " + place.text() +
                        ", which is plain HTTP; write " + (is_default ? "a listener with " : "") +
                        "tls: true and tls.certificates, or, if the network protects it, http.allow_plaintext: true");
    }
    add_repeated(options.http.listeners, found);
    if (!has_tls && !options.tls.certificates.empty())
        found.emplace_back("tls.certificates: no listener shows them; write tls: true for one of http.listeners");
    if (has_tls && options.tls.certificates.empty())
        found.emplace_back("http.listeners: tls: true needs tls.certificates");
    if (has_proxy && options.http.trusted_proxies.empty())
        found.emplace_back(
            "http.listeners: proxy_protocol: true needs http.trusted_proxies, from which it is accepted");
    if (options.tls.client_certificates != ClientCertificates::none && options.tls.client_ca.empty())
        found.emplace_back("tls.client_certificates: they are checked against tls.client_ca, which is not set");
    return found;
}

}  // namespace sluice::config
