#include "broker/cli/manual/program_page.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "broker/cli/manual/roff.hpp"
#include "broker/cli/manual/words.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

constexpr std::string_view exit_status_title = "Exit status: ", examples_title = "Examples:\n";

std::vector<std::string> footer_paragraphs(const Command& command) {
    std::vector<std::string> paragraphs;
    std::string_view rest = command.footer;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("\n\n"), rest.size());
        std::string_view paragraph = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 2, rest.size()));
        // Of a command, the exit status follows the examples without an empty line.
        const std::size_t status =
            paragraph.starts_with(examples_title) ? paragraph.find("\nExit status: ") : paragraph.npos;
        paragraphs.emplace_back(paragraph.substr(0, status));
        if (status != paragraph.npos) paragraphs.emplace_back(paragraph.substr(status + 1));
    }
    return paragraphs;
}

// "--server TEXT", as one types it.
std::string typed(const CommandOption& option) {
    std::string text;
    for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + roff_bold(name);
    if (!option.value_name.empty()) text += " " + roff_italic(option.value_name);
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + roff_bold(name);
    return text;
}

std::string sentence(const std::string& text) { return roff_text(text.ends_with('.') ? text : text + "."); }

std::string described(const CommandOption& option) {
    std::string text = sentence(option.description);
    if (!option.default_value.empty()) text += " Default: " + roff_text(option.default_value) + ".";
    if (!option.environment.empty()) text += " Environment: " + roff_bold(option.environment) + ".";
    if (!option.needs.empty()) text += " Only with " + joined(option.needs) + ".";
    if (!option.excludes.empty()) text += " Not with " + joined(option.excludes) + ".";
    return text;
}

std::string synopsis(const Command& command) {
    std::string text = roff_bold(command.path);
    for (const CommandOption& option : command.options) {
        if (option.required) text += " " + typed(option);
    }
    text += " [" + roff_italic("OPTION") + "...]";
    for (const CommandOption& argument : command.arguments) {
        const std::string name = roff_italic(argument.names.front()) + (argument.repeated ? "..." : "");
        text += argument.required ? " " + name : " [" + name + "]";
    }
    if (!command.commands.empty())
        text +=
            command.arguments.empty() ? " " + roff_italic("COMMAND") + " ..." : " | " + roff_italic("COMMAND") + " ...";
    return text;
}

class ProgramPage {
public:
    ProgramPage(const Command& program, int section)
        : program_(program), page_(program.path, section, summary(program)) {
        count_options(program);
    }

    std::string write(std::string_view see_also) {
        page_.section("Synopsis");
        page_.paragraph(synopsis(program_));
        page_.section("Description");
        page_.paragraph(sentence(program_.description));
        add_texts(program_);
        add_program_options();
        if (!program_.commands.empty()) page_.section("Commands");
        for (const Command& command : program_.commands) add_command_section(command);
        add_footer_sections();
        add_examples();
        return page_.finish(see_also);
    }

private:
    // The description as NAME has it: without the program's name, capital and full stop.
    static std::string summary(const Command& program) {
        std::string text = program.description;
        if (text.starts_with(program.path + ", ")) text.erase(0, program.path.size() + 2);
        if (text.ends_with('.')) text.pop_back();
        if (!text.empty()) text.front() = text::ascii_lower(text.front());
        return text;
    }

    void count_options(const Command& command) {
        for (const CommandOption& option : command.options) ++uses_[key(option)];
        for (const Command& each : command.commands) count_options(each);
    }

    static std::string key(const CommandOption& option) { return typed(option) + described(option); }

    // Whether so many commands have the option that it is described once, under OPTIONS.
    bool is_common(const CommandOption& option) const {
        constexpr int commands_min = 5;
        return uses_.at(key(option)) >= commands_min;
    }

    void add_option(const CommandOption& option) { page_.tagged(typed(option), described(option)); }

    void add_program_options() {
        page_.section("Options");
        for (const CommandOption& option : program_.options) add_option(option);
        std::set<std::string> done;
        for (const CommandOption& option : program_.options) done.insert(key(option));
        for (const Command& command : program_.commands) add_common_options(command, done);
    }

    void add_common_options(const Command& command, std::set<std::string>& done) {
        for (const CommandOption& option : command.options) {
            if (is_common(option) && done.insert(key(option)).second) add_option(option);
        }
        for (const Command& each : command.commands) add_common_options(each, done);
    }

    void add_command_section(const Command& command) {
        page_.subsection(command.path);
        page_.paragraph(synopsis(command));
        page_.paragraph(sentence(command.description));
        std::vector<std::string> common;
        for (const CommandOption& argument : command.arguments)
            page_.tagged(roff_italic(argument.names.front()), described(argument));
        for (const CommandOption& option : command.options) {
            if (is_common(option)) {
                common.push_back(option.names.back());
            } else {
                add_option(option);
            }
        }
        if (!common.empty()) page_.paragraph("See OPTIONS for " + joined(common) + ".");
        add_texts(command);
        for (const std::string& paragraph : footer_paragraphs(command)) {
            if (paragraph.starts_with(exit_status_title)) page_.paragraph(roff_text(paragraph));
        }
        for (const Command& each : command.commands) add_command_section(each);
    }

    // The footer's paragraphs that have no title.
    void add_texts(const Command& command) {
        for (const std::string& paragraph : footer_paragraphs(command)) {
            if (paragraph.find(":\n") == std::string::npos && !paragraph.starts_with(exit_status_title))
                page_.paragraph(roff_text(paragraph));
        }
    }

    // The program's footer: the exit status, and lists of names with their meanings.
    void add_footer_sections() {
        for (const std::string& paragraph : footer_paragraphs(program_)) {
            if (paragraph.starts_with(exit_status_title)) {
                page_.section("Exit status");
                page_.paragraph(roff_text(std::string_view(paragraph).substr(exit_status_title.size())));
            } else if (const std::size_t end = paragraph.find(":\n");
                       end != std::string::npos && !paragraph.starts_with(examples_title)) {
                page_.section(std::string_view(paragraph).substr(0, end));
                add_names(std::string_view(paragraph).substr(end + 2));
            }
        }
    }

    // Lines of "  NAME  its meaning".
    void add_names(std::string_view lines) {
        while (!lines.empty()) {
            const std::string_view line = text::trim(take_line(lines));
            const std::size_t gap = std::min(line.find("  "), line.size());
            page_.tagged(roff_bold(line.substr(0, gap)), roff_text(text::trim(line.substr(gap))));
        }
    }

    void add_examples() {
        std::string examples;
        collect_examples(program_, examples);
        if (examples.empty()) return;
        page_.section("Examples");
        page_.literal(examples);
    }

    static void collect_examples(const Command& command, std::string& examples) {
        for (const std::string& paragraph : footer_paragraphs(command)) {
            if (!paragraph.starts_with(examples_title)) continue;
            std::string_view lines = std::string_view(paragraph).substr(examples_title.size());
            while (!lines.empty()) examples.append(text::trim(take_line(lines))).push_back('\n');
        }
        for (const Command& each : command.commands) collect_examples(each, examples);
    }

    const Command& program_;
    RoffPage page_;
    std::map<std::string, int> uses_;  // of an option with this description: how many commands have it
};

}  // namespace

std::string program_page(const Command& program, int section, std::string_view see_also) {
    return ProgramPage(program, section).write(see_also);
}

}  // namespace sluice::cli
