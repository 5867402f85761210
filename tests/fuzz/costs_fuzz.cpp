// Any bytes as a file of costs: it is refused with a place in it, or its costs are such that they can be used.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gpu/operators/edits/reference.hpp"
#include "gpu/tools/distance/cost_file.hpp"

namespace {

using namespace sluice::edits;

void check_error(const CostFile& file, std::string_view text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (file.line < 1 || file.line > lines + 1 || file.column > text.size()) std::abort();
    if (std::any_of(file.error.begin(), file.error.end(), [](char c) { return c >= 0 && c < ' '; })) std::abort();
}

void check_costs(const CostMatrix& matrix) {
    const std::string& characters = matrix.characters;
    const std::size_t n = characters.size();
    if (matrix.deletion == 0 || matrix.insertion == 0) std::abort();
    if (n > Costs::matrix_characters_max || matrix.substitution.size() != n * n) std::abort();
    const Costs costs(matrix);
    for (std::size_t x = 0; x < n; ++x) {
        for (std::size_t y = 0; y < n; ++y) {
            const auto cost =
                costs.substitution(static_cast<char32_t>(characters[x]), static_cast<char32_t>(characters[y]));
            if (cost != matrix.substitution[x * n + y] || (x == y && cost != 0)) std::abort();
        }
    }
    if (edit_distance(characters, characters, costs) != 0 || edit_distance("ab", "", costs) != 2 * costs.insertion())
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const CostFile file = parse_costs(text);
    file.error.empty() ? check_costs(file.matrix) : check_error(file, text);
    return 0;
}
