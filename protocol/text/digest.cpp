#include "protocol/text/digest.hpp"

#include <cstring>
#include <memory>
#include <openssl/evp.h>
#include <stdexcept>

namespace sluice::text {

namespace {

struct FreeMd {
    void operator()(EVP_MD* md) const { EVP_MD_free(md); }
};
struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

Digest digest(std::string_view bytes, std::string_view more) {
    // Fetching the algorithm costs more than hashing an item, so each thread keeps it. What could not be had for lack
    // of memory is asked for again.
    thread_local std::unique_ptr<EVP_MD, FreeMd> sha256;
    thread_local std::unique_ptr<EVP_MD_CTX, FreeContext> context;
    if (!sha256) sha256.reset(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    if (!context) context.reset(EVP_MD_CTX_new());
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
    if (!sha256 || !context || EVP_DigestInit_ex2(context.get(), sha256.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestUpdate(context.get(), more.data(), more.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), hash.data(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available");
    }
    Digest prefix;
    std::memcpy(prefix.data(), hash.data(), sizeof prefix);
    return prefix;
}

}  // namespace sluice::text
