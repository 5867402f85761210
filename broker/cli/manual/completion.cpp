#include "broker/cli/manual/completion.hpp"

namespace sluice::cli {

std::string shell_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string completion_script(Shell shell, const Programs& programs) {
    switch (shell) {
        case Shell::bash:
            return bash_completion(programs);
        case Shell::zsh:
            return zsh_completion(programs);
        case Shell::fish:
            break;
    }
    return fish_completion(programs);
}

}  // namespace sluice::cli
