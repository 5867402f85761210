// Any bytes as a users file: refused with a position inside the text, or users who get no right that nobody gave them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "broker/auth/users.hpp"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const filter::FilterLimits limits;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const config::LoadedUsers loaded = config::parse_users_file("fuzz.yaml", text, auth::users_checks(limits));
    for (const auto& error : loaded.errors)
        if (error.message.empty() || error.line > size + 1) std::abort();
    if (!loaded.errors.empty()) return 0;
    const auth::Users users(loaded.file, limits), again(loaded.file, limits, &users);
    if (!again.changed_since(users).empty()) std::abort();
    for (const auto& [name, entry] : loaded.file.users) {
        const auth::Account* account = users.find(name);
        if (account == nullptr || again.find(name)->user != account->user) std::abort();
        const auth::Rights& rights = account->user->rights;
        if (!entry.roles.empty()) continue;
        if (rights.publish.has_value() == entry.rights.publish.empty()) std::abort();
        if (rights.manage.has_value() == entry.rights.manage.empty()) std::abort();
        if (rights.subscribe.empty() != entry.rights.subscribe.empty()) std::abort();
        if (rights.operate != entry.rights.operate) std::abort();
    }
    return 0;
}
