#include "broker/base/log.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string>

namespace sluice {

namespace {

LogFormat format_in_use = LogFormat::text;  // set at start-up, before other threads log

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::trace:
            return spdlog::level::trace;
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warn:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
        case LogLevel::off:
            return spdlog::level::off;
    }
    return spdlog::level::info;
}

std::shared_ptr<spdlog::logger>& logger() {
    static std::shared_ptr<spdlog::logger> instance = [] {
        auto made = std::make_shared<spdlog::logger>("sluice", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
        return made;
    }();
    return instance;
}

std::string json_text(std::string_view text) { return boost::json::serialize(boost::json::string_view(text)); }

// Bare where that is unambiguous, else quoted: a value can't forge a field or a line.
std::string plain_text(std::string_view text) {
    constexpr std::string_view bare =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/+*@%,;()[]<>!?&|~^#$";
    const bool is_bare = !text.empty() && text.find_first_not_of(bare) == std::string_view::npos;
    return is_bare ? std::string(text) : json_text(text);
}

struct ValueText {
    LogFormat format;

    std::string operator()(std::string_view text) const {
        return format == LogFormat::json ? json_text(text) : plain_text(text);
    }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(auto number) const { return fmt::format("{}", number); }
};

void write(spdlog::level::level_enum level, std::string_view message, LogFields fields) {
    if (!logger()->should_log(level)) return;
    logger()->log(level, "{}", log_text(format_in_use, message, fields));
}

}  // namespace

std::string log_text(LogFormat format, std::string_view message, LogFields fields) {
    const bool json = format == LogFormat::json;
    std::string line = json ? "\"message\":" + json_text(message) : std::string(message);
    for (const LogField& field : fields) {
        const std::string value = std::visit(ValueText{format}, field.value);
        line += json ? ",\"" + std::string(field.name) + "\":" + value : " " + std::string(field.name) + "=" + value;
    }
    return json ? line + "}" : line;
}

void configure_log(const LogOptions& options) {
    format_in_use = options.format;
    logger()->set_level(spdlog_level(options.level));
    logger()->set_pattern(options.format == LogFormat::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)"
                                                            : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                          spdlog::pattern_time_type::utc);
}

void log_info(std::string_view message, LogFields fields) { write(spdlog::level::info, message, fields); }
void log_warn(std::string_view message, LogFields fields) { write(spdlog::level::warn, message, fields); }
void log_error(std::string_view message, LogFields fields) { write(spdlog::level::err, message, fields); }

}  // namespace sluice
