// Where the store is. Called at start-up.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/options.hpp"

namespace sluice::config {

// The value of a variable of the environment, such as getenv(); null: it is not set.
using Environment = std::function<const char*(const char* name)>;

// store.path, or for `auto` where the environment says that programs keep their state. None: it does not say that.
std::optional<std::string> store_folder(const StoreOptions& options, const Environment& environment);

}  // namespace sluice::config
