#include "broker/cli/workbench/file_errors.hpp"

#include "broker/cli/common/input.hpp"

namespace sluice::cli {

namespace {

std::string placed(const std::string& path, std::size_t line, const std::string& text) {
    return input_name(path) + (line > 0 ? ":" + std::to_string(line) : "") + ": " + text;
}

boost::json::object place_of(const std::string& path, std::size_t line) {
    boost::json::object place{{"about", input_name(path)}};
    if (line > 0) place["line"] = line;
    return place;
}

}  // namespace

void report_unreadable(const std::string& path, const std::string& reason, const Console& console) {
    console.error(describe_unreadable(path, reason), {{"about", input_name(path)}});
}

void report_error(const std::string& path, std::size_t line, const std::string& text, const Console& console) {
    console.error(placed(path, line, text), place_of(path, line));
}

void report_warning(const std::string& path, std::size_t line, const std::string& text, const Console& console) {
    console.warning(placed(path, line, text), place_of(path, line));
}

void note_no_sequences(const std::string& path, const Console& console) {
    console.note(input_name(path) + " has no sequences", place_of(path, 0));
}

}  // namespace sluice::cli
