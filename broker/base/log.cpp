#include "broker/base/log.hpp"

#include <atomic>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <memory>
#include <mutex>
#include <spdlog/pattern_formatter.h>
#include <string>
#include <unistd.h>

#include "broker/base/log_limit.hpp"
#include "broker/base/log_writer.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::base {

namespace {

config::LogFormat format_in_use = config::LogFormat::text;  // set at start-up, before other threads log

spdlog::level::level_enum spdlog_level(config::LogLevel level) {
    switch (level) {
        case config::LogLevel::trace:
            return spdlog::level::trace;
        case config::LogLevel::debug:
            return spdlog::level::debug;
        case config::LogLevel::info:
            return spdlog::level::info;
        case config::LogLevel::warn:
            return spdlog::level::warn;
        case config::LogLevel::error:
            return spdlog::level::err;
        case config::LogLevel::off:
            return spdlog::level::off;
    }
    return spdlog::level::info;
}

constexpr std::size_t waiting_bytes_max = 256u << 10;  // of lines not yet written
constexpr const char* text_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr const char* json_pattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)";

// Uses spdlog's formatter without its loggers and sinks. Those write to standard error on the calling thread: if its
// reader stalled, every thread that logs would block.
class Log {
public:
    void set_format(config::LogFormat format) {
        const std::lock_guard lock(mutex_);
        formatter_ = std::make_unique<spdlog::pattern_formatter>(
            format == config::LogFormat::json ? json_pattern : text_pattern, spdlog::pattern_time_type::utc);
    }
    void write(spdlog::level::level_enum level, std::string_view text) { writer_.push(line(level, text)); }
    LogWriter& writer() { return writer_; }

    std::atomic<spdlog::level::level_enum> least{spdlog::level::info};
    LogLimit limit;

private:
    std::string line(spdlog::level::level_enum level, std::string_view text) {
        spdlog::memory_buf_t formatted;
        const std::lock_guard lock(mutex_);
        formatter_->format(spdlog::details::log_msg("sluice", level, text), formatted);
        return {formatted.data(), formatted.size()};
    }

    std::mutex mutex_;
    std::unique_ptr<spdlog::formatter> formatter_ =
        std::make_unique<spdlog::pattern_formatter>(text_pattern, spdlog::pattern_time_type::utc);
    LogWriter writer_{STDERR_FILENO, waiting_bytes_max, [this](std::uint64_t lines) {
                          const auto text = log_text(format_in_use, "log lines were dropped", {{"lines", lines}});
                          return line(spdlog::level::warn, text);
                      }};
};

// Never destroyed: threads may log until the process ends, and the writer may be stuck.
Log& log() {
    static Log& instance = *new Log;
    return instance;
}

// A log is read on terminals, too: what could command one or reorder its text is escaped.
std::string json_text(std::string_view text) {
    return text::terminal_json(boost::json::serialize(boost::json::string_view(text)));
}

// Bare if that is unambiguous, else quoted: a value can't forge a field or a line.
std::string plain_text(std::string_view text) {
    constexpr std::string_view bare =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/+*@%,;()[]<>!?&|~^#$";
    const bool is_bare = !text.empty() && text.find_first_not_of(bare) == std::string_view::npos;
    return is_bare ? std::string(text) : json_text(text);
}

struct ValueText {
    config::LogFormat format;

    std::string operator()(std::string_view text) const {
        return format == config::LogFormat::json ? json_text(text) : plain_text(text);
    }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(auto number) const { return fmt::format("{}", number); }
};

// Callers are often about to undo or finish something: no lack of memory may keep them from it.
void write(spdlog::level::level_enum level, std::string_view message, LogFields fields) noexcept {
    if (level < log().least) return;
    try {
        const auto left_out = log().limit.take(message, LogLimit::Clock::now());
        if (left_out) log().write(level, log_text(format_in_use, message, fields, *left_out));
    } catch (...) {
        log().writer().push("sluiced: a line could not be logged: out of memory\n");
    }
}

}  // namespace

std::string log_text(config::LogFormat format, std::string_view message, LogFields fields, std::uint64_t left_out) {
    const bool json = format == config::LogFormat::json;
    std::string line = json ? "\"message\":" + json_text(message) : std::string(message);
    const auto add = [&](const LogField& field) {
        const std::string value = std::visit(ValueText{format}, field.value);
        line += json ? ",\"" + std::string(field.name) + "\":" + value : " " + std::string(field.name) + "=" + value;
    };
    for (const LogField& field : fields) add(field);
    if (left_out != 0) add({"left_out", left_out});
    return json ? line + "}" : line;
}

void configure_log(const config::LogOptions& options) {
    format_in_use = options.format;
    log().least = spdlog_level(options.level);
    log().set_format(options.format);
}

void log_info(std::string_view message, LogFields fields) { write(spdlog::level::info, message, fields); }
void log_warn(std::string_view message, LogFields fields) { write(spdlog::level::warn, message, fields); }
void log_error(std::string_view message, LogFields fields) { write(spdlog::level::err, message, fields); }

void log_failure(std::string_view message, const char* reason) noexcept { log_error(message, {{"reason", reason}}); }

void log_always(std::string_view message, LogFields fields) {
    log().write(spdlog::level::info, log_text(format_in_use, message, fields));
}

void log_plainly(std::string_view line) noexcept { log().writer().push(line); }

bool flush_log(std::chrono::milliseconds patience) { return log().writer().flush(patience); }

std::uint64_t log_lines_dropped() { return log().writer().dropped(); }

}  // namespace sluice::base
