#include "broker/base/log.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <spdlog/pattern_formatter.h>
#include <string>
#include <unistd.h>

#include "broker/base/log_limit.hpp"
#include "broker/base/log_writer.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::base {

namespace {

config::LogFormat format_in_use = config::LogFormat::text;  // set at start-up, before other threads log

using config::LogLevel;

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
    void write(LogLevel level, std::string_view text) { writer_.push(line(level, text)); }
    LogWriter& writer() { return writer_; }

    // Not for lines of debug and trace, which report each event.
    LogLimit limit{10, std::chrono::seconds(1)};

private:
    std::string line(LogLevel level, std::string_view text) {
        spdlog::memory_buf_t formatted;
        const std::lock_guard lock(mutex_);
        formatter_->format(spdlog::details::log_msg("sluice", spdlog_level(level), text), formatted);
        return {formatted.data(), formatted.size()};
    }

    std::mutex mutex_;
    std::unique_ptr<spdlog::formatter> formatter_ =
        std::make_unique<spdlog::pattern_formatter>(text_pattern, spdlog::pattern_time_type::utc);
    LogWriter writer_{STDERR_FILENO, waiting_bytes_max, [this](std::uint64_t lines) {
                          const auto text = log_text(format_in_use, "log lines were dropped", {{"lines", lines}});
                          return line(LogLevel::warn, text);
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
    std::string operator()(double number) const {
        return format == config::LogFormat::json && !std::isfinite(number) ? "null" : fmt::format("{}", number);
    }
    std::string operator()(auto number) const { return fmt::format("{}", number); }
};

// As the patterns have it, "2026-11-27T10:00:00.123Z".
constexpr std::size_t time_bytes = 24;
void write_time(char* to) noexcept {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    std::array<char, text::rfc3339_bytes> time;
    text::write_rfc3339_us(time.data(), std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    time[time_bytes - 1] = 'Z';
    std::copy_n(time.begin(), time_bytes, to);
}

// Callers are often about to undo or finish something: no lack of memory may keep them from it.
void write(LogLevel level, std::string_view message, LogFields fields, bool is_limited) noexcept {
    try {
        const auto left_out =
            is_limited ? log().limit.take(message, LogLimit::Clock::now()) : std::optional<std::uint64_t>(0);
        if (left_out) log().write(level, log_text(format_in_use, message, fields, *left_out));
    } catch (...) {
        log_unmade_line();
    }
}

void write_enabled(LogLevel level, std::string_view message, LogFields fields) noexcept {
    if (log_enabled(level)) write(level, message, fields, level >= LogLevel::info);
}

// Without the log's thread there are no other threads either that would have to wait.
void push_or_write(std::string_view line) noexcept {
    try {
        log().writer().push(line);
    } catch (const std::exception&) {
        if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
    }
}

}  // namespace

std::string_view short_line(config::LogFormat format, std::string_view message, std::array<char, 256>& room) noexcept {
    const bool json = format == config::LogFormat::json;
    const std::string_view before = json ? R"({"time":")" : "",
                           between = json ? R"(","level":"error","message":")" : " error ",
                           after = json ? "\"}\n" : "\n";
    char* end = std::copy(before.begin(), before.end(), room.data());
    write_time(end);
    end = std::copy(between.begin(), between.end(), end + time_bytes);
    const auto left = static_cast<std::size_t>(room.data() + room.size() - end) - after.size();
    end = std::copy_n(message.begin(), std::min(left, message.size()), end);
    end = std::copy(after.begin(), after.end(), end);
    return {room.data(), static_cast<std::size_t>(end - room.data())};
}

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

void log_unmade_line() noexcept {
    std::array<char, 256> room;
    push_or_write(short_line(format_in_use, "a line could not be logged: out of memory", room));
}

void configure_log(const config::LogOptions& options) {
    format_in_use = options.format;
    least_log_level = options.level;
    log().set_format(options.format);
}

void log_trace(std::string_view message, LogFields fields) noexcept { write_enabled(LogLevel::trace, message, fields); }
void log_debug(std::string_view message, LogFields fields) noexcept { write_enabled(LogLevel::debug, message, fields); }
void log_info(std::string_view message, LogFields fields) noexcept { write_enabled(LogLevel::info, message, fields); }
void log_warn(std::string_view message, LogFields fields) noexcept { write_enabled(LogLevel::warn, message, fields); }
void log_error(std::string_view message, LogFields fields) noexcept { write_enabled(LogLevel::error, message, fields); }

void log_failure(std::string_view message, const char* reason) noexcept { log_warn(message, {{"reason", reason}}); }

void log_always(std::string_view message, LogFields fields) noexcept { write(LogLevel::info, message, fields, false); }

void log_end(std::string_view reason) noexcept {
    std::array<char, 256> room;
    try {
        std::string line = "sluiced: " + std::string(reason) + '\n';
        if (format_in_use == config::LogFormat::json) {
            const std::string_view begin = short_line(format_in_use, "the daemon can't run", room);
            line = std::string(begin.substr(0, begin.size() - 2)) + ",\"reason\":" + json_text(reason) + "}\n";
        }
        push_or_write(line);
    } catch (const std::exception&) {
        push_or_write(short_line(format_in_use, "the daemon can't run: out of memory", room));
    }
}

bool flush_log(std::chrono::milliseconds patience) { return log().writer().flush(patience); }

std::uint64_t log_lines_dropped() { return log().writer().dropped(); }

}  // namespace sluice::base
