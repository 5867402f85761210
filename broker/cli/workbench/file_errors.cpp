#include "broker/cli/workbench/file_errors.hpp"

#include "broker/cli/common/input.hpp"

namespace sluice::cli {

void report_unreadable(const std::string& path, const std::string& reason, const Console& console) {
    console.error(describe_unreadable(path, reason), {{"about", input_name(path)}});
}

void report_error(const std::string& path, std::size_t line, const std::string& text, const Console& console) {
    const std::string name = input_name(path);
    boost::json::object more{{"about", name}};
    if (line > 0) more["line"] = line;
    console.error(name + (line > 0 ? ":" + std::to_string(line) : "") + ": " + text, more);
}

}  // namespace sluice::cli
