#include "broker/cli/common/columns.hpp"

#include <algorithm>

#include "protocol/text/utf8.hpp"

namespace sluice::cli {

std::vector<std::string> in_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<Side>& sides) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], text::count_characters(row[c]));
    }
    std::vector<std::string> lines;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(widths[c] - text::count_characters(row[c]), ' ');
            const bool is_right = c < sides.size() && sides[c] == Side::right;
            line += (c == 0 ? "" : "  ") + (is_right ? padding + row[c] : row[c] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace sluice::cli
