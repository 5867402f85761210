#include "broker/cli/top_exposition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace sluice::cli {

namespace {

bool is_name(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return !text.empty() && letters.find(text[0]) != text.npos &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == text.npos;
}

// Takes the text up to the next `end`, which it removes, too; all of it if there is none.
std::string_view take_until(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return taken;
}

std::optional<double> read_number(std::string_view text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "+Inf") return std::numeric_limits<double>::infinity();
    if (text == "-Inf") return -std::numeric_limits<double>::infinity();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // from_chars also reads "inf" and "nan", which are written otherwise here.
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
    return number;
}

class ExpositionReader {
public:
    explicit ExpositionReader(std::string_view text) : rest_(text) {}

    Exposition read() {
        if (rest_.size() > Exposition::bytes_max) fail("more than 16 MiB");
        while (result_.error.empty() && !at_end_) read_line();
        if (result_.error.empty() && !rest_.empty()) {
            ++line_;
            fail("expected nothing after # EOF");
        }
        return std::move(result_);
    }

private:
    void fail(std::string message) {
        result_.error = std::move(message);
        result_.error_line = std::max<std::size_t>(line_, 1);
    }

    void read_line() {
        ++line_;
        const std::size_t end = rest_.find('\n');
        if (end == rest_.npos) return fail(rest_.empty() ? "expected # EOF" : "expected a line feed");
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (line.size() > Exposition::line_bytes_max) return fail("a line with more than 64 KiB");
        if (line == "# EOF")
            at_end_ = true;
        else if (line.starts_with("# "))
            read_comment(line.substr(2));
        else
            read_sample(line);
    }

    void read_comment(std::string_view line) {
        const std::string_view kind = take_until(line, ' '), name = take_until(line, ' ');
        if (kind == "TYPE") return begin_family(name, line);
        if (kind != "UNIT" && kind != "HELP") return fail("expected # TYPE, # UNIT, # HELP or # EOF");
        if (name != family_ || family_.empty()) fail("expected the name of the family that # TYPE has begun");
    }

    void begin_family(std::string_view name, std::string_view type) {
        if (!is_name(name)) return fail("expected the name of a family");
        if (type == "counter")
            suffixes_ = {"_total"};
        else if (type == "gauge")
            suffixes_ = {""};
        else if (type == "info")
            suffixes_ = {"_info"};
        else if (type == "histogram")
            suffixes_ = {"_bucket", "_count", "_sum"};
        else
            return fail("expected the type counter, gauge, histogram or info");
        if (!families_.emplace(name).second) return fail("the family is there twice");
        family_ = name;
        may_fall_ = type == "gauge";
    }

    void read_sample(std::string_view line) {
        const std::string_view whole = line;
        ExposedSample sample;
        const std::size_t name_end = std::min(line.find_first_of(" {"), line.size());
        sample.name = line.substr(0, name_end);
        line.remove_prefix(name_end);
        if (!belongs(sample.name)) return fail("expected a sample of the family that # TYPE has begun");
        if (line.starts_with('{') && !read_labels(line, sample)) return;
        if (!series_.emplace(whole.substr(0, whole.size() - line.size())).second)
            return fail("the sample is there twice");
        if (!line.starts_with(' ')) return fail("expected a space and a number");
        const auto number = read_number(line.substr(1));
        if (!number) return fail("expected a number");
        if (!may_fall_ && !(*number >= 0 && std::isfinite(*number))) return fail("expected a number of at least 0");
        sample.value = *number;
        if (result_.samples.size() == Exposition::samples_max) return fail("more than 100,000 samples");
        result_.samples.push_back(std::move(sample));
    }

    bool belongs(std::string_view name) const {
        if (family_.empty() || !name.starts_with(family_)) return false;
        return std::find(suffixes_.begin(), suffixes_.end(), name.substr(family_.size())) != suffixes_.end();
    }

    // Reads {NAME="TEXT",…}. Returns false after an error.
    bool read_labels(std::string_view& line, ExposedSample& sample) {
        do {
            line.remove_prefix(1);  // { or ,
            const std::string_view name = take_until(line, '=');
            if (!is_name(name) || !line.starts_with('"'))
                return fail("expected a label, such as reason=\"busy\""), false;
            if (std::any_of(sample.labels.begin(), sample.labels.end(),
                            [&](const auto& each) { return each.first == name; }))
                return fail("the label is there twice"), false;
            if (sample.labels.size() == Exposition::labels_max) return fail("more than 16 labels"), false;
            auto text = read_text(line);
            if (!text) return fail("expected the end of the label's text"), false;
            sample.labels.emplace_back(name, std::move(*text));
        } while (line.starts_with(','));
        if (!line.starts_with('}')) return fail("expected , or }"), false;
        line.remove_prefix(1);
        return true;
    }

    // Reads "TEXT", in which \\, \" and \n are escaped.
    static std::optional<std::string> read_text(std::string_view& line) {
        std::string text;
        for (std::size_t i = 1; i < line.size(); ++i) {
            char c = line[i];
            if (c == '"') {
                line.remove_prefix(i + 1);
                return text;
            }
            if (c == '\\') {
                if (++i == line.size()) break;
                if (line[i] != '\\' && line[i] != '"' && line[i] != 'n') break;
                c = line[i] == 'n' ? '\n' : line[i];
            }
            text += c;
        }
        return std::nullopt;
    }

    std::string_view rest_;
    std::size_t line_ = 0;
    bool at_end_ = false;
    std::string_view family_;  // the last one
    std::vector<std::string_view> suffixes_;
    bool may_fall_ = false;
    std::set<std::string_view> families_, series_;
    Exposition result_;
};

}  // namespace

std::string_view ExposedSample::label(std::string_view of) const {
    for (const auto& each : labels)
        if (each.first == of) return each.second;
    return {};
}

Exposition read_exposition(std::string_view text) { return ExpositionReader(text).read(); }

}  // namespace sluice::cli
