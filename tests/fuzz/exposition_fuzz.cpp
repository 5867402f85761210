// Any bytes as the reply of GET /metrics, for `sluice top`: twice, since rates need two. What is shown of them obeys
// the limits of the screen, and nothing in it commands a terminal.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/cli/top_exposition.hpp"
#include "broker/cli/top_figures.hpp"
#include "broker/cli/top_table.hpp"

using namespace sluice::cli;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size), half = bytes.substr(size / 2);
    const Exposition now = read_exposition(bytes), before = read_exposition(half);
    for (const auto* each : {&now, &before}) {
        if (each->error.empty() != (each->error_line == 0) || each->error_line > size + 1) std::abort();
        if (each->samples.size() > size) std::abort();
    }
    for (const auto* earlier : {static_cast<const Exposition*>(nullptr), &before, &now}) {
        const TopFigures figures = top_figures(earlier, now, 2);
        const auto lines = top_table(figures, "localhost:8080", 20);
        if (lines.size() > 20) std::abort();
        for (const std::string& line : lines) {
            for (const char c : line)
                if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') std::abort();
            if (first_columns(line, 10).size() > line.size()) std::abort();
        }
        top_json(figures);
    }
    return 0;
}
