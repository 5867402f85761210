#include "broker/server/http/content_codings.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::server {

std::vector<std::string> content_codings(const HeadFields& headers) {
    std::vector<std::string> codings;
    const auto fields = headers.equal_range(http::field::content_encoding);
    for (auto field = fields.first; field != fields.second; ++field) {
        std::string_view list(field->value());
        while (!list.empty()) {
            const std::size_t end = std::min(list.find(','), list.size());
            std::string coding = text::ascii_lower(text::trim(list.substr(0, end)));
            list.remove_prefix(std::min(end + 1, list.size()));
            if (!coding.empty() && coding != "identity") codings.push_back(std::move(coding));
        }
    }
    return codings;
}

}  // namespace sluice::server
