// The structured log, on standard error. An entry is a constant message with named values, written as one line:
// `time level message name=value …` or a JSON object. Any thread; logging never blocks (see LogWriter). If a message is
// logged too often, lines are left out and the next one says how many (`left_out`).
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

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

using LogFields = std::initializer_list<LogField>;

// Throws std::system_error if the writer thread cannot be started.
void configure_log(const config::LogOptions& options);

void log_info(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});

// Logs an error when memory may be short. Never throws; falls back to a shorter line.
void log_failure(std::string_view message, const char* reason) noexcept;
// Logs a line at any log.level, because an operator or a script waits for it.
void log_always(std::string_view message, LogFields fields = {});

// Writes `line`, which ends with a newline, unformatted: the reason why the daemon could not run.
void log_plainly(std::string_view line) noexcept;

// Waits until everything has been written, before the process ends. Returns false if `patience` ran out.
bool flush_log(std::chrono::milliseconds patience);
// The number of lines dropped because standard error was not read.
std::uint64_t log_lines_dropped();

// The part of a line after its time and level. Public for tests.
std::string log_text(config::LogFormat format, std::string_view message, LogFields fields, std::uint64_t left_out = 0);

}  // namespace sluice::base
