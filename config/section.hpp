// One map of a configuration file while it is read into options. Each call names an option that the map may contain and
// sets it if the map does. finish() reports all other members as unknown. Faults are collected, so the user sees many
// of them at once: the first `faults_max`. Used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.hpp"
#include "config/yaml.hpp"

namespace sluice::config {

class Section {
public:
    static constexpr std::size_t faults_max = 100;

    enum class Completeness : std::uint8_t { partial, complete };  // complete: an option that is not set is a fault

    enum class Texts : std::uint8_t { shown, hidden };  // hidden: faults do not quote what was found, maybe a secret

    Section(std::string source, std::string path, const YamlNode& map, std::vector<ConfigError>& faults,
            Completeness completeness = Completeness::partial, Texts texts = Texts::shown)
        : source_(std::move(source)),
          path_(std::move(path)),
          map_(map),
          faults_(faults),
          completeness_(completeness),
          texts_(texts) {}

    // `check`, if any, returns what is wrong with a text, or "".
    void text(std::string_view name, std::string& out, const TextCheck& check = {});
    // auto: none.
    void text_or_auto(std::string_view name, std::optional<std::string>& out, const TextCheck& check);
    void ip_address(std::string_view name, std::string& out);
    void boolean(std::string_view name, bool& out);
    // This and the next two set optional options, too.
    template <typename Out>
    void duration(std::string_view name, Out& out, Duration min, Duration max) {
        if (const auto duration = read_duration(name, min, max)) out = *duration;
    }
    template <typename Out>
    void size(std::string_view name, Out& out, std::size_t min, std::size_t max) {
        if (const auto size = read_size(name, min, max)) out = *size;
    }
    template <typename Number>
    void integer(std::string_view name, Number& out, std::uint64_t min, std::uint64_t max) {
        if (const auto number = read_integer(name, min, max)) out = static_cast<Number>(*number);
    }
    // auto: none.
    void size_or_auto(std::string_view name, std::optional<std::size_t>& out, std::size_t min, std::size_t max);
    void integer_or_auto(std::string_view name, std::optional<std::size_t>& out, std::uint64_t min, std::uint64_t max);
    // A list of at most `items_max` maps; `read` is called for each in turn.
    // Returns whether it is a list.
    bool items(std::string_view name, std::size_t items_max, const std::function<void(Section&)>& read);
    // A non-empty list of distinct integers.
    void integers(std::string_view name, std::vector<int>& out, int min, int max);
    // A list of at most `texts_max` texts that are `good`, possibly empty unless `texts_min` says otherwise; `expected`
    // describes those. Returns whether it is valid.
    bool texts(std::string_view name, std::vector<std::string>& out, std::string_view expected,
               bool (*good)(const std::string&), std::size_t texts_max = ~std::size_t{0}, std::size_t texts_min = 0);
    // A list of at most `items_max` texts and, if `read_item` is given, maps. `take` gets each text, and returns what
    // is wrong with it, or ""; `expected` describes the items to whoever gives no list.
    void mixed(std::string_view name, std::size_t items_max, const TextCheck& take,
               const std::function<void(Section&)>& read_item = {}, std::string_view expected = "");
    template <typename Enum>
    void choice(std::string_view name, Enum& out, std::initializer_list<std::pair<std::string_view, Enum>> choices) {
        std::vector<std::string_view> names;
        for (const auto& [choice_name, value] : choices) names.push_back(choice_name);
        if (const auto index = read_choice(name, names)) out = choices.begin()[*index].second;
    }
    void section(std::string_view name, const std::function<void(Section&)>& read);

    // Reads every member of this map as a section; the user chooses the names.
    void each(const std::function<void(const std::string& name, const YamlNode& key, Section&)>& read);

    bool has(std::string_view name) const;                       // whether the map sets the option, even wrongly
    void refuse(std::string_view name, const std::string& why);  // if the map sets the option
    void fault(const YamlNode& at, std::string message);
    void fault(std::string message) { fault(map_, std::move(message)); }  // of the map as a whole
    // `find_elsewhere`, if any, returns the full name of the option that a member is in another section, or "".
    void finish(const TextCheck& find_elsewhere = {});
    const std::string& name() const { return path_; }  // dotted, "" for the root

private:
    const YamlNode* find(std::string_view name);
    const YamlNode* scalar(std::string_view name, std::string_view expected);
    const std::string* read_text(std::string_view name, const TextCheck& check);  // null: not set, or wrong
    std::optional<Duration> read_duration(std::string_view name, Duration min, Duration max);
    std::optional<std::size_t> read_size(std::string_view name, std::size_t min, std::size_t max,
                                         std::string_view alternative = "");
    std::optional<std::uint64_t> read_integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                              std::string_view expected = "an integer");
    std::optional<std::size_t> read_choice(std::string_view name, const std::vector<std::string_view>& names);
    void read_map(std::string_view name, const YamlNode& node, const std::function<void(Section&)>& read);
    std::string full_name(std::string_view name) const;
    std::string describe(const YamlNode& node) const;

    std::string source_;
    std::string path_;
    const YamlNode& map_;
    std::vector<ConfigError>& faults_;
    const Completeness completeness_;
    const Texts texts_;
    std::vector<std::string> known_;
    bool knows_all_ = false;  // each() has read every member
};

}  // namespace sluice::config
