#include "broker/core/ingest/event_path.hpp"

#include "protocol/filter/filter.hpp"

namespace sluice::broker {

std::string check_event_path(const std::string& path) {
    if (path.empty()) return {};
    if (path.size() > event_path_bytes_max) return "longer than " + std::to_string(event_path_bytes_max) + " bytes";
    const auto compiled = filter::compile_path(path);
    if (compiled) return {};
    return "at character " + std::to_string(compiled.error().column) + ": " + compiled.error().message;
}

}  // namespace sluice::broker
