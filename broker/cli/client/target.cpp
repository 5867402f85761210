#include "broker/cli/client/target.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/grammar/lut_chars.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace sluice::cli {

namespace urls = boost::urls;

std::string target_of(std::string_view path, const Parameters& parameters) {
    constexpr auto plain = urls::unreserved_chars + urls::grammar::lut_chars("!$'()*,/:=?@");
    std::string target(path);
    char separator = '?';
    for (const auto& [name, value] : parameters) {
        target += separator + std::string(name) + '=' + urls::encode(value, plain);
        separator = '&';
    }
    return target;
}

}  // namespace sluice::cli
