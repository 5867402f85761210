#include "protocol/filter/explain.hpp"

#include <ostream>

#include "broker/cli/commands.hpp"

namespace sluice::cli {

int explain(const ExplainOptions& options, Console console) {
    const auto compiled = compile_filter(options.filter);
    if (!compiled) {
        const auto& error = compiled.error();
        console.err << "sluice: filter:" << error.line << ':' << error.column << ": " << error.message << '\n'
                    << error.excerpt << '\n';
        return exit_failed;
    }
    console.out << explain(*compiled);
    return exit_done;
}

}  // namespace sluice::cli
