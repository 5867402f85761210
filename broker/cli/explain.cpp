#include "protocol/filter/explain.hpp"

#include <ostream>

#include "broker/cli/commands.hpp"
#include "broker/cli/problem.hpp"

namespace sluice::cli {

int explain(const ExplainOptions& options, Console console) {
    const auto compiled = compile_filter(options.filter);
    if (!compiled) {
        console.err << "sluice: " << describe_problem(compiled.error()) << '\n';
        return exit_failed;
    }
    console.out << explain(*compiled);
    return exit_done;
}

}  // namespace sluice::cli
