#include "broker/cli/client/tls.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <new>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <system_error>

namespace sluice::cli {

namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Names = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;
using Store = std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)>;

constexpr int names_max = 10;  // that are shown of a certificate

// "O=Harbour, CN=Harbour CA"
std::string text_of(const X509_NAME* name) {
    constexpr unsigned long form =
        (XN_FLAG_RFC2253 & ~(XN_FLAG_DN_REV | XN_FLAG_SEP_MASK | ASN1_STRFLGS_ESC_MSB)) | XN_FLAG_SEP_CPLUS_SPC;
    const Bio text(BIO_new(BIO_s_mem()), BIO_free);
    if (!text || X509_NAME_print_ex(text.get(), name, 0, form) < 0) throw std::bad_alloc();
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

std::string date_of(const ASN1_TIME* time) {
    std::tm utc{};
    if (ASN1_TIME_to_tm(time, &utc) == 0) return "an unreadable date";
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &utc)};
}

std::string text_of(const ASN1_STRING* text) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

// Of a host; "" for what is none, such as a mail address.
std::string text_of(const GENERAL_NAME& name) {
    if (name.type == GEN_DNS) return text_of(name.d.dNSName);
    if (name.type != GEN_IPADD) return "";
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int size = ASN1_STRING_length(name.d.iPAddress);
    if (size != sizeof(in_addr) && size != sizeof(in6_addr)) return "";
    const int family = size == sizeof(in_addr) ? AF_INET : AF_INET6;
    return inet_ntop(family, ASN1_STRING_get0_data(name.d.iPAddress), text.data(), text.size());
}

// As a certificate without names of hosts is for the one that is its subject.
std::string common_name(const X509* certificate) {
    const X509_NAME* subject = X509_get_subject_name(certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    return at < 0 ? "" : text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

std::string names_of(const X509* certificate) {
    const Names names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
        GENERAL_NAMES_free);
    std::string text;
    int count = 0;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const std::string name = text_of(*sk_GENERAL_NAME_value(names.get(), i));
        if (!name.empty() && ++count <= names_max) text += (text.empty() ? "" : ", ") + name;
    }
    if (count > names_max) text += " and " + std::to_string(count - names_max) + " more";
    return text.empty() ? common_name(certificate) : text;
}

void note_distrust(X509_STORE_CTX* verification, TlsNotes& notes) {
    const int error = X509_STORE_CTX_get_error(verification);
    const X509* certificate = X509_STORE_CTX_get_current_cert(verification);
    const bool is_own = certificate == nullptr || X509_STORE_CTX_get_error_depth(verification) == 0;
    const std::string whose =
        is_own ? "its certificate"
               : "the certificate of " + text_of(X509_get_subject_name(certificate)) + " above its own";
    notes.distrust = whose + ": " + X509_verify_cert_error_string(error);
    if (certificate == nullptr) return;
    switch (error) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            notes.distrust = whose + " expired on " + date_of(X509_get0_notAfter(certificate));
            break;
        case X509_V_ERR_CERT_NOT_YET_VALID:
            notes.distrust = whose + " is not valid before " + date_of(X509_get0_notBefore(certificate)) +
                             " (is this machine's clock right?)";
            break;
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            notes.unknown_issuer = text_of(X509_get_issuer_name(certificate));
            break;
        default:
            break;
    }
}

// OpenSSL's callbacks must not throw: without memory there are no notes.
int verify(X509_STORE_CTX* verification, void* notes) {
    const int is_trusted = X509_verify_cert(verification);
    try {
        auto& to = *static_cast<TlsNotes*>(notes);
        if (const X509* own = X509_STORE_CTX_get0_cert(verification)) to.names = names_of(own);
        if (is_trusted <= 0) note_distrust(verification, to);
    } catch (const std::bad_alloc&) {
    }
    return is_trusted;
}

void note_message(int is_written, int, int type, const void* bytes, std::size_t size, SSL*, void* notes) {
    const auto* message = static_cast<const unsigned char*>(bytes);
    auto& to = *static_cast<TlsNotes*>(notes);
    to.has_begun = true;
    if (is_written != 0 || size == 0) return;
    if (type == SSL3_RT_HANDSHAKE && message[0] == SSL3_MT_CERTIFICATE_REQUEST) to.wants_certificate = true;
    if (type != SSL3_RT_ALERT || size < 2 || message[0] != SSL3_AL_FATAL) return;
    to.alert = message[1];
    try {
        to.alert_text = SSL_alert_desc_string_long(to.alert);
    } catch (const std::bad_alloc&) {
    }
}

// The first of this thread's errors, which is the cause of the others; and forgets them all.
std::string take_reason() {
    const unsigned long error = ERR_get_error();
    ERR_clear_error();
    if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
    const int library = ERR_GET_LIB(error), number = ERR_GET_REASON(error);
    const bool is_no_pem = library == ERR_LIB_PEM && number == PEM_R_NO_START_LINE;
    if (is_no_pem || (library == ERR_LIB_OSSL_DECODER && number == ERR_R_UNSUPPORTED)) return "it has none in PEM";
    const char* reason = ERR_reason_error_string(error);
    return reason != nullptr ? reason : "it is not understood";
}

std::optional<std::string> find_fault_in_trusted(const std::string& file) {
    const Store store(X509_STORE_new(), X509_STORE_free);
    if (!store) throw std::bad_alloc();
    if (X509_STORE_load_file(store.get(), file.c_str()) == 1) return std::nullopt;
    return "can't read the certificates in " + file + ": " + take_reason();
}

int note_encryption(char*, int, int, void* is_encrypted) {
    *static_cast<bool*>(is_encrypted) = true;
    return -1;
}

std::optional<std::string> find_fault_in_own(const std::string& certificate, const std::string& key) {
    const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (!context) throw std::bad_alloc();
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1)
        return "can't read the certificate in " + certificate + ": " + take_reason();
    bool is_encrypted = false;
    SSL_CTX_set_default_passwd_cb(context.get(), note_encryption);
    SSL_CTX_set_default_passwd_cb_userdata(context.get(), &is_encrypted);
    const std::string& key_file = key.empty() ? certificate : key;
    if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) == 1) return std::nullopt;
    const unsigned long error = ERR_peek_error();
    if (ERR_GET_LIB(error) == ERR_LIB_X509 && ERR_GET_REASON(error) == X509_R_KEY_VALUES_MISMATCH) {
        ERR_clear_error();
        return "the key in " + key_file + " does not match the certificate in " + certificate;
    }
    const std::string reason = take_reason();
    if (is_encrypted)
        return "the key in " + key_file + " is encrypted; decrypt it: openssl pkey -in " + key_file + " -out PLAIN";
    return "can't read the key in " + key_file + ": " + reason +
           (key.empty() ? " (--key FILE names another file)" : "");
}

}  // namespace

void take_notes(void* ssl_context, TlsNotes& notes) {
    auto* context = static_cast<SSL_CTX*>(ssl_context);
    SSL_CTX_set_cert_verify_callback(context, verify, &notes);
    SSL_CTX_set_msg_callback(context, note_message);
    SSL_CTX_set_msg_callback_arg(context, &notes);
}

std::optional<std::string> find_fault(const TlsFiles& files) {
    ERR_clear_error();
    if (!files.trusted.empty())
        if (auto fault = find_fault_in_trusted(files.trusted)) return fault;
    return files.certificate.empty() ? std::nullopt : find_fault_in_own(files.certificate, files.key);
}

}  // namespace sluice::cli
