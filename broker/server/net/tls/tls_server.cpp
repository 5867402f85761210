#include "broker/server/net/tls/tls_server.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice::server {

namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// Forward secrecy and authenticated encryption alone, as Mozilla's "intermediate" list has them. TLS 1.3 has no others.
constexpr const char* ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
// Without those of finite fields, by which a client could have the broker compute for milliseconds.
constexpr const char* groups = "X25519:P-256:P-384";
constexpr unsigned char session_id_context[] = "sluice";

// The reason of OpenSSL's first error, and the system's if there is one.
std::string take_reason() {
    std::string reason = "unknown error";
    if (const unsigned long error = ERR_get_error(); error != 0) {
        const char* text =
            ERR_GET_LIB(error) == ERR_LIB_SYS ? strerror(ERR_GET_REASON(error)) : ERR_reason_error_string(error);
        if (text != nullptr) reason = text;
    }
    ERR_clear_error();
    return reason;
}

[[noreturn]] void fail(const char* option, const std::string& file, const std::string& reason) {
    throw std::runtime_error(std::string(option) + ": " + file + ": " + reason);
}

std::vector<base::FileState> states_of(const config::TlsOptions& options) {
    std::vector<base::FileState> states{base::file_state(options.client_ca)};
    for (const config::CertificateOptions& each : options.certificates) {
        states.push_back(base::file_state(each.certificate));
        states.push_back(base::file_state(each.key));
    }
    return states;
}

// Notes that a key has a passphrase: nobody is there to be asked for it.
int no_passphrase(char*, int, int, void* is_locked) {
    *static_cast<bool*>(is_locked) = true;
    return -1;
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_bytes, const unsigned char* in,
                    unsigned in_bytes, void*) {
    static constexpr unsigned char http[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, out_bytes, http, sizeof http - 1, in, in_bytes) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

void use_certificate(SSL_CTX* context, const config::CertificateOptions& files) {
    bool is_locked = false;
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    SSL_CTX_set_default_passwd_cb_userdata(context, &is_locked);
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
        fail("tls.certificates", files.certificate, take_reason());
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        std::string reason = take_reason();
        if (is_locked) reason = "the key has a passphrase; write it without one";
        if (reason == "key values mismatch") reason = "not the key of " + files.certificate;
        fail("tls.certificates", files.key, reason);
    }
    if (SSL_CTX_check_private_key(context) != 1)
        fail("tls.certificates", files.key, "not the key of " + files.certificate);
}

void check_clients(SSL_CTX* context, const config::TlsOptions& options) {
    if (options.client_certificates == config::ClientCertificates::none) return;
    if (SSL_CTX_load_verify_locations(context, options.client_ca.c_str(), nullptr) != 1)
        fail("tls.client_ca", options.client_ca, take_reason());
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(options.client_ca.c_str());
    if (names == nullptr) fail("tls.client_ca", options.client_ca, take_reason());
    SSL_CTX_set_client_CA_list(context, names);  // takes it over
    const bool is_required = options.client_certificates == config::ClientCertificates::require;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
}

Context make_context(const config::TlsOptions& options, const config::CertificateOptions& files) {
    ERR_clear_error();
    Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context) throw std::bad_alloc();
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(context.get(), ciphers) != 1 || SSL_CTX_set1_groups_list(context.get(), groups) != 1)
        throw std::runtime_error("TLS: " + take_reason());
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Buffers of idle connections are freed; a write may go on from another place.
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_session_id_context(context.get(), session_id_context, sizeof session_id_context - 1);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);  // clients keep their sessions, as tickets
    SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
    use_certificate(context.get(), files);
    check_clients(context.get(), options);
    return context;
}

std::chrono::system_clock::time_point expiry_of(SSL_CTX* context) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(context)), &parts) != 1)
        return std::chrono::system_clock::time_point::max();
    return std::chrono::system_clock::from_time_t(timegm(&parts));
}

}  // namespace

struct TlsServer::Identities {
    explicit Identities(const config::TlsOptions& options) {
        for (const config::CertificateOptions& each : options.certificates) {
            contexts.push_back(make_context(options, each));
            expires = std::min(expires, expiry_of(contexts.back().get()));
        }
        SSL_CTX_set_tlsext_servername_callback(contexts.front().get(), choose);
        SSL_CTX_set_tlsext_servername_arg(contexts.front().get(), this);
    }

    // A session begins with the first certificate. Its context keeps a pointer to this, so new_session() keeps this.
    static int choose(SSL* session, int*, void* self) {
        const char* name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
        if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
        for (const Context& context : static_cast<const Identities*>(self)->contexts) {
            X509* certificate = SSL_CTX_get0_certificate(context.get());
            if (X509_check_host(certificate, name, 0, 0, nullptr) != 1) continue;
            SSL_set_SSL_CTX(session, context.get());
            return SSL_TLSEXT_ERR_OK;
        }
        return SSL_TLSEXT_ERR_NOACK;
    }

    std::vector<Context> contexts;
    std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

TlsServer::TlsServer(const config::TlsOptions& options)
    : options_(options), file_states_(states_of(options)), identities_(std::make_shared<const Identities>(options)) {}

TlsServer::~TlsServer() = default;

std::string TlsServer::find_fault(const config::TlsOptions& options) {
    if (options.certificates.empty()) return "";
    try {
        static_cast<void>(Identities(options));
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

std::shared_ptr<const TlsServer::Identities> TlsServer::identities() const {
    const std::lock_guard lock(mutex_);
    return identities_;
}

TlsSession TlsServer::new_session() const {
    std::shared_ptr<const Identities> current = identities();
    ssl_st* session = SSL_new(current->contexts.front().get());
    return TlsSession(session, std::move(current));
}

void TlsServer::reload() {
    file_states_ = states_of(options_);  // as they were before they are read
    auto read = std::make_shared<const Identities>(options_);
    const std::lock_guard lock(mutex_);
    identities_ = std::move(read);
}

bool TlsServer::have_files_changed() const { return states_of(options_) != file_states_; }

std::chrono::system_clock::time_point TlsServer::expires() const { return identities()->expires; }

}  // namespace sluice::server
