// The structured log, on standard error. An entry is a constant message with named values, written as one line:
// `time level message name=value …` or a JSON object. Any thread; logging never blocks (see LogWriter) and never
// throws.
//
// Levels: error, an operator must act. warn, something was lost or refused by a fault, or soon will be. info, the life
// of the process. debug, what clients do. trace, what the parts do inside, for developers. No line has contents of
// documents, queries or credentials, and only lines of debug quote filters, shortened.
//
// If a message of the levels info to error is logged too often, lines are left out and the next one says how many
// (`left_out`). Lines of debug and trace are not limited: who asks for each request gets each. They can only be dropped
// if standard error is read too slowly, as all lines can; then a line says how many.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/options.hpp"

namespace sluice::base {

struct LogField {
    using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

    LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
    LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
    LogField(std::string_view field, bool truth) : name(field), value(truth) {}
    LogField(std::string_view field, std::signed_integral auto number)
        : name(field), value(static_cast<std::int64_t>(number)) {}
    LogField(std::string_view field, std::unsigned_integral auto number)
        : name(field), value(static_cast<std::uint64_t>(number)) {}
    LogField(std::string_view field, double number) : name(field), value(number) {}

    std::string_view name;
    Value value;
};

// Views fields: a list in the call, or a vector where some are optional.
class LogFields {
public:
    LogFields() = default;
    LogFields(std::initializer_list<LogField> list) : fields_(list.begin(), list.size()) {}
    LogFields(const std::vector<LogField>& list) : fields_(list) {}

    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }

private:
    std::span<const LogField> fields_;
};

// Throws std::system_error if the writer thread cannot be started.
void configure_log(const config::LogOptions& options);

inline std::atomic<config::LogLevel> least_log_level{config::LogLevel::info};

// Whether lines of a level are written.
inline bool log_enabled(config::LogLevel level) noexcept {
    return level >= least_log_level.load(std::memory_order_relaxed);
}

void log_unmade_line() noexcept;

// Calls `log_line`, which makes the fields of a line and logs it, only if lines of the level are written: otherwise one
// relaxed load is all that it costs. If it throws, as for lack of memory, a short line says so and all else goes on.
template <class LogLine>
void log_at(config::LogLevel level, const LogLine& log_line) noexcept {
    if (!log_enabled(level)) return;
    try {
        log_line();
    } catch (...) {
        log_unmade_line();
    }
}

// Without memory for a line, a shorter one says so.
void log_trace(std::string_view message, LogFields fields = {}) noexcept;
void log_debug(std::string_view message, LogFields fields = {}) noexcept;
void log_info(std::string_view message, LogFields fields = {}) noexcept;
void log_warn(std::string_view message, LogFields fields = {}) noexcept;
void log_error(std::string_view message, LogFields fields = {}) noexcept;

// Warns of a caught exception.
void log_failure(std::string_view message, const char* reason) noexcept;
// Logs a line of the level info at any log.level, because an operator or a script waits for it.
void log_always(std::string_view message, LogFields fields = {}) noexcept;

// Says at any log.level why the daemon can't run: as programs do, "sluiced: REASON", or as an object of the level error
// if the log is JSON. Also after configure_log() has thrown.
void log_end(std::string_view reason) noexcept;

// Waits until everything has been written, before the process ends. Returns false if `patience` ran out.
bool flush_log(std::chrono::milliseconds patience);
// The number of lines dropped because standard error was not read.
std::uint64_t log_lines_dropped();

// A whole line of the level error, made without memory of the heap. The message has no characters that JSON escapes,
// and is cut if it does not fit. Views `room`. Public for tests.
std::string_view short_line(config::LogFormat format, std::string_view message, std::array<char, 256>& room) noexcept;

// The part of a line after its time and level. Public for tests.
std::string log_text(config::LogFormat format, std::string_view message, LogFields fields, std::uint64_t left_out = 0);

}  // namespace sluice::base
