#include "broker/server/net/tls/tls_session.hpp"

#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <utility>

namespace sluice::server {

TlsSession::TlsSession(ssl_st* session, std::shared_ptr<const void> identities)
    : identities_(std::move(identities)), session_(session) {
    if (!session_) throw std::bad_alloc();
}

void TlsSession::Free::operator()(ssl_st* session) const noexcept { SSL_free(session); }

void TlsSession::attach(int socket) {
    if (SSL_set_fd(session_.get(), socket) != 1) throw std::bad_alloc();
    SSL_set_accept_state(session_.get());
}

// OpenSSL keeps errors of a thread until they are taken, and takes any of them for those of the next call.
TlsSession::State TlsSession::state_of(int result) {
    switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_NONE:
            return State::done;
        case SSL_ERROR_WANT_READ:
            return State::wants_read;
        case SSL_ERROR_WANT_WRITE:
            return State::wants_write;
        case SSL_ERROR_ZERO_RETURN:  // the peer has said that nothing more will come; it may still read
            return State::ended;
        default:
            is_open_ = false;
            note_failure();
            return State::ended;
    }
}

void TlsSession::note_failure() {
    const unsigned long error = ERR_peek_error();
    if (error != 0 && failure_.empty()) {
        const char* reason = ERR_reason_error_string(error);
        failure_ = reason != nullptr ? reason : "error " + std::to_string(error);
        met_plain_http_ = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
    }
    ERR_clear_error();
}

TlsSession::State TlsSession::shake_hands() {
    ERR_clear_error();
    const State state = state_of(SSL_do_handshake(session_.get()));
    is_open_ = may_have_bytes_ = state == State::done;
    return state;
}

TlsSession::Transfer TlsSession::read(char* into, std::size_t bytes) {
    ERR_clear_error();
    Transfer transfer{State::done};
    transfer.state = state_of(SSL_read_ex(session_.get(), into, bytes, &transfer.bytes));
    may_have_bytes_ = transfer.state == State::done && SSL_has_pending(session_.get()) == 1;
    return transfer;
}

TlsSession::Transfer TlsSession::write(const char* from, std::size_t bytes) {
    ERR_clear_error();
    Transfer transfer{State::done};
    transfer.state = state_of(SSL_write_ex(session_.get(), from, bytes, &transfer.bytes));
    return transfer;
}

void TlsSession::end_sending() noexcept {
    if (!is_open_) return;
    is_open_ = false;
    SSL_shutdown(session_.get());
    ERR_clear_error();
}

std::string TlsSession::user() const {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(session_.get()), X509_free);
    if (!certificate) return {};
    const X509_NAME* subject = X509_get_subject_name(certificate.get());
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0) return {};
    unsigned char* utf8 = nullptr;
    const int bytes = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (bytes < 0) return {};
    std::string name(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(bytes));
    OPENSSL_free(utf8);
    return name;
}

}  // namespace sluice::server
