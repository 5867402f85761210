#include "broker/base/exposition.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::base {

namespace {

constexpr std::string_view common_prefix = "process_";  // Prometheus's conventions for client libraries

std::string prefixed_name(const MetricFamily& family) {
    return family.name.starts_with(common_prefix) ? family.name : "sluice_" + family.name;
}

std::string_view suffix_of(MetricType type) {
    if (type == MetricType::counter) return "_total";
    return type == MetricType::info ? "_info" : "";
}

void append_escaped(std::string_view text, std::string& line) {
    for (const char c : text) {
        if (c == '\n') {
            line += "\\n";
        } else {
            if (c == '\\' || c == '"') line += '\\';
            line += c;
        }
    }
}

// A histogram's bound. OpenMetrics writes it as Go does: 0.001, 1.0, 1e-05.
std::string bound_text(std::uint64_t bound, std::uint64_t per_unit) {
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, static_cast<double>(bound) / static_cast<double>(per_unit));
    std::string number(text, end.ptr);
    return number.find_first_of(".e") == number.npos ? number + ".0" : number;
}

class Writer {
public:
    explicit Writer(ExpositionFormat format) : is_open_(format == ExpositionFormat::open_metrics) {}

    void write(const MetricReading& reading) {
        family_ = reading.family;
        name_ = prefixed_name(*family_);
        write_head();
        for (const MetricSample& sample : reading.samples) write(sample);
    }
    std::string take() {
        if (is_open_) text_ += "# EOF\n";
        return std::move(text_);
    }

private:
    // In Prometheus's own format, a family is named as its samples are.
    void write_head() {
        std::string type(name_of(family_->type)), name = name_;
        if (!is_open_) {
            name += suffix();
            if (family_->type == MetricType::info) type = "gauge";
        }
        text_ += "# TYPE " + name + " " + type + "\n";
        if (is_open_ && !family_->unit.empty()) text_ += "# UNIT " + name + " " + family_->unit + "\n";
        text_ += "# HELP " + name + " " + family_->help + "\n";
    }
    std::string_view suffix() const { return suffix_of(family_->type); }
    void write(const MetricSample& sample) {
        sample_ = &sample;
        if (const auto* number = std::get_if<std::uint64_t>(&sample.value))
            return line(suffix(), in_units(*number, family_->per_unit));
        if (const auto* number = std::get_if<std::int64_t>(&sample.value)) {
            const auto size = static_cast<std::uint64_t>(*number < 0 ? -*number : *number);
            return line("", (*number < 0 ? "-" : "") + in_units(size, family_->per_unit));
        }
        write(std::get<Histogram::Snapshot>(sample.value));
    }
    void write(const Histogram::Snapshot& histogram) {
        for (std::size_t i = 0; i < family_->bounds.size(); ++i)
            line("_bucket", std::to_string(histogram.at_most[i]), bound_text(family_->bounds[i], family_->per_unit));
        line("_bucket", std::to_string(histogram.count()), "+Inf");
        line("_count", std::to_string(histogram.count()));
        line("_sum", in_units(histogram.sum, family_->per_unit));
    }
    // `bound`: the value of the label le, which a bucket has.
    void line(std::string_view ending, const std::string& value, std::string_view bound = {}) {
        text_ += name_;
        text_ += ending;
        char before = '{';
        const auto label = [&](std::string_view name, std::string_view of_label) {
            text_ += before;
            text_ += name;
            text_ += "=\"";
            append_escaped(of_label, text_);
            text_ += '"';
            before = ',';
        };
        for (std::size_t i = 0; i < family_->labels.size(); ++i) label(family_->labels[i], sample_->label_values[i]);
        if (!bound.empty()) label("le", bound);
        if (before == ',') text_ += '}';
        text_ += ' ';
        text_ += value;
        text_ += '\n';
    }

    const bool is_open_;
    const MetricFamily* family_ = nullptr;
    const MetricSample* sample_ = nullptr;
    std::string name_, text_;
};

}  // namespace

std::string_view content_type_of(ExpositionFormat format) {
    return format == ExpositionFormat::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                    : "text/plain; version=0.0.4; charset=utf-8";
}

std::string expose(std::span<const MetricReading> readings, ExpositionFormat format) {
    Writer writer(format);
    for (const MetricReading& reading : readings)
        if (!reading.samples.empty()) writer.write(reading);
    return writer.take();
}

std::string exposed_name(const MetricFamily& family) {
    return prefixed_name(family) + std::string(suffix_of(family.type));
}

std::string in_units(std::uint64_t parts, std::uint64_t per_unit) {
    std::string text = std::to_string(parts / per_unit);
    std::uint64_t rest = parts % per_unit;
    if (rest == 0) return text;
    text += '.';
    while (rest != 0) {
        per_unit /= 10;
        text += static_cast<char>('0' + rest / per_unit);
        rest %= per_unit;
    }
    return text;
}

}  // namespace sluice::base
