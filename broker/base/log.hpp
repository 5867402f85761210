// The structured log, on standard error: a message that never varies, and named values beside it. One line each, as
// `time level message name=value …` or as a JSON object. Any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "config/options.hpp"

namespace sluice {

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

void configure_log(const LogOptions& options);

void log_info(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});

// What stands after the time and level of a line; for tests.
std::string log_text(LogFormat format, std::string_view message, LogFields fields);

}  // namespace sluice
