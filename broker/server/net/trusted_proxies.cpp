#include "broker/server/net/trusted_proxies.hpp"

#include <algorithm>

namespace sluice::server {

TrustedProxies::TrustedProxies(const std::vector<std::string>& texts)
    : networks_(texts), has_unix_peers_(std::find(texts.begin(), texts.end(), "unix") != texts.end()) {}

}  // namespace sluice::server
