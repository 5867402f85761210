#include "broker/cli/manual/manual_commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "broker/base/program/command_line.hpp"
#include "broker/base/program/daemon_command_line.hpp"
#include "broker/cli/common/help_texts.hpp"
#include "broker/cli/manual/command_tree.hpp"
#include "broker/cli/manual/completion.hpp"
#include "broker/cli/manual/filters_text.hpp"
#include "broker/cli/manual/markdown_page.hpp"
#include "broker/cli/manual/options_page.hpp"
#include "broker/cli/manual/program_page.hpp"
#include "config/load.hpp"

namespace sluice::cli {

namespace {

constexpr help::CommandHelp manual_help{false, R"(  sluice manual | man -l -
  sluice manual sluice-filters | man -l -
  sluice manual sluice.yaml > sluice.yaml.5
)"};

constexpr help::CommandHelp completion_help{false, R"(  source <(sluice completion bash)        # in ~/.bashrc
  sluice completion zsh > _sluice         # in a folder of $fpath
  sluice completion fish > sluice.fish    # in ~/.config/fish/conf.d
)"};

enum class Page { sluice, sluiced, options, filters };

Command daemon_tree() {
    base::DaemonArguments unused;
    return command_tree(*base::daemon_command_line(unused));
}

std::string options_page() {
    RoffPage page("sluice.yaml", 5, "configuration of sluiced");
    add_options(page, config::default_yaml());
    return page.finish("sluiced(8), sluice(1)");
}

std::string filters_page() {
    std::string_view text = filters_text();
    text = text.substr(0, text.find("\n## How it is compiled"));  // that is for who changes it
    RoffPage page("sluice-filters", 7, "the language of the filters that select items");
    add_markdown(page, text);
    return page.finish("sluice(1), sluiced(8), sluice.yaml(5)");
}

std::string manual_page(Page page, CLI::App& app) {
    switch (page) {
        case Page::sluiced:
            return program_page(daemon_tree(), 8, "sluice(1), sluice.yaml(5), sluice-filters(7)");
        case Page::options:
            return options_page();
        case Page::filters:
            return filters_page();
        case Page::sluice:
            break;
    }
    return program_page(command_tree(app), 1, "sluice-filters(7), sluiced(8), sluice.yaml(5)");
}

}  // namespace

void add_manual(CLI::App& app) {
    const auto page = std::make_shared<Page>(Page::sluice);
    auto& command = *app.add_subcommand("manual", "Print a manual page, to show with man -l -");
    base::add_choice(command, "PAGE",
                     "sluice (the default) or sluiced: the programs; sluice.yaml: the configuration of sluiced; "
                     "sluice-filters: the filter language",
                     "", {"sluice", "sluiced", "sluice.yaml", "sluice-filters"},
                     [page](std::size_t choice) { *page = static_cast<Page>(choice); });
    command.footer(help::footer(manual_help));
    command.callback([&app, page] { std::cout << manual_page(*page, app); });
}

void add_completion(CLI::App& app) {
    const auto shell = std::make_shared<Shell>();
    auto& command =
        *app.add_subcommand("completion", "Print a completion script for bash, zsh or fish, for sluice and sluiced");
    base::add_choice(command, "SHELL", "bash, zsh or fish", "", {"bash", "zsh", "fish"},
                     [shell](std::size_t choice) { *shell = static_cast<Shell>(choice); });
    command.get_option("SHELL")->required();
    command.footer(help::footer(completion_help));
    command.callback([&app, shell] { std::cout << completion_script(*shell, {command_tree(app), daemon_tree()}); });
}

}  // namespace sluice::cli
