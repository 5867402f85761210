// The commands that print manual pages and shell completion, of both programs. Called from main, on one thread.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sluice::cli {

// Added last: they print what `app` has when they are called.
void add_manual(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace sluice::cli
