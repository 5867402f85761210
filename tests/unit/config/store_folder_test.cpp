#include "config/store_folder.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>

using sluice::config::store_folder;
using sluice::config::StoreOptions;

namespace {

std::optional<std::string> folder(std::map<std::string, const char*> environment,
                                  std::optional<std::string> path = std::nullopt) {
    StoreOptions options;
    options.path = std::move(path);
    return store_folder(options, [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? nullptr : found->second;
    });
}

}  // namespace

TEST_CASE("the store's folder is what store.path says, or where the environment keeps state") {
    const std::map<std::string, const char*> all{
        {"STATE_DIRECTORY", "/var/lib/sluice"}, {"XDG_STATE_HOME", "/state"}, {"HOME", "/me"}};
    CHECK(folder(all, "build/store") == "build/store");
    CHECK(folder({}, "/srv/store") == "/srv/store");
    CHECK(folder(all) == "/var/lib/sluice/store");
    CHECK(folder({{"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}}) == "/var/lib/a/store");
    CHECK(folder({{"XDG_STATE_HOME", "/state"}, {"HOME", "/me"}}) == "/state/sluice/store");
    CHECK(folder({{"HOME", "/me"}}) == "/me/.local/state/sluice/store");
    CHECK_FALSE(folder({}));
}

TEST_CASE("variables that are empty or no absolute path do not say where the store is") {
    CHECK(folder({{"STATE_DIRECTORY", ""}, {"XDG_STATE_HOME", ""}, {"HOME", "/me"}}) ==
          "/me/.local/state/sluice/store");
    CHECK(folder({{"XDG_STATE_HOME", "state"}, {"HOME", "/me"}}) == "/me/.local/state/sluice/store");
    CHECK_FALSE(folder({{"STATE_DIRECTORY", "state"}, {"HOME", ""}}));
}
