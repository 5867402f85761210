#include "broker/auth/users.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "broker/auth/password.hpp"
#include "broker/auth/token.hpp"
#include "protocol/filter/siblings.hpp"

namespace sluice::auth {

namespace {

// Makes rights of what the file says. Equal filters become one.
class RightsCompiler {
public:
    explicit RightsCompiler(const filter::FilterLimits& limits) : limits_(limits) {}

    // The union of these entries. A user's own come last.
    Rights compile(const std::vector<const config::RightsEntry*>& entries) {
        std::vector<std::string> publish, manage;
        Rights rights;
        for (const config::RightsEntry* entry : entries) {
            publish.insert(publish.end(), entry->publish.begin(), entry->publish.end());
            manage.insert(manage.end(), entry->manage.begin(), entry->manage.end());
            rights.operate = rights.operate || entry->operate;
            for (const config::ReadEntry& read : entry->subscribe) add(rights.subscribe, read);
        }
        // A selection without patterns would be of all streams.
        if (!publish.empty()) rights.publish = text::StreamSelection(publish);
        if (!manage.empty()) rights.manage = text::StreamSelection(manage);
        return rights;
    }

private:
    void add(std::vector<ReadGrant>& grants, const config::ReadEntry& read) {
        if (read.streams.empty()) throw std::logic_error("a grant without streams");
        ReadGrant grant{text::StreamSelection(read.streams), read.filter.empty() ? nullptr : filter_of(read.filter)};
        if (std::find(grants.begin(), grants.end(), grant) == grants.end()) grants.push_back(std::move(grant));
    }

    std::shared_ptr<const RowFilter> filter_of(const std::string& text) {
        std::shared_ptr<const RowFilter>& known = filters_[text];
        if (known) return known;
        auto compiled = filter::compile_filter(text, limits_);
        if (!compiled) throw std::logic_error("a row filter that has not been checked");
        known = std::make_shared<const RowFilter>(
            RowFilter{text, std::move(compiled->canonical), std::move(compiled->disjunction)});
        return known;
    }

    const filter::FilterLimits& limits_;
    std::unordered_map<std::string, std::shared_ptr<const RowFilter>> filters_;
};

const config::TokenEntry* find_entry(const std::vector<config::TokenEntry>& tokens, const std::string& id) {
    const auto at = std::find_if(tokens.begin(), tokens.end(), [&](const auto& token) { return token.id == id; });
    return at == tokens.end() ? nullptr : &*at;
}

// Whether `now` still lets in what `before` did.
bool still_lets_in(const std::vector<config::TokenEntry>& now, const config::TokenEntry& before) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const config::TokenEntry* token = find_entry(now, before.id);
    return token != nullptr && parse_digest(token->digest) == parse_digest(before.digest) &&
           token->expires.value_or(never) >= before.expires.value_or(never);
}

std::string find_fault_in_token_id(const std::string& id) {
    return is_token_id(id) ? "" : "expected ten letters and digits, as `sluice user token` writes them";
}

std::string find_fault_in_token_digest(const std::string& digest) {
    return parse_digest(digest) ? ""
                                : "expected sha256: and 64 hexadecimal digits: the digest of the token, not the token";
}

}  // namespace

std::string find_fault_in_row_filter(const std::string& text, const filter::FilterLimits& limits) {
    const auto compiled = filter::compile_filter(text, limits);
    if (!compiled)
        return "invalid filter, line " + std::to_string(compiled.error().line) + ", column " +
               std::to_string(compiled.error().column) + ": " + compiled.error().message;
    if (const auto part = filter::needs_siblings(*compiled))
        return "a row filter must not look outside the item, since that could reveal items the user may not see: " +
               *part;
    const auto computed = std::find_if(compiled->leaves.begin(), compiled->leaves.end(),
                                       [](const filter::Leaf& leaf) { return leaf.computed(); });
    if (computed != compiled->leaves.end())
        return "a row filter must not contain computed conditions, since it is part of every subscription of its "
               "users: " +
               computed->text;
    return {};
}

config::UsersChecks users_checks(const filter::FilterLimits& limits) {
    return {find_fault_in_hash, [limits](const std::string& text) { return find_fault_in_row_filter(text, limits); },
            find_fault_in_token_id, find_fault_in_token_digest};
}

Users::Users(const config::UsersFile& file, const filter::FilterLimits& limits, const Users* before) {
    RightsCompiler compiler(limits);
    for (const auto& [name, entry] : file.roles) {
        Rights rights = compiler.compile({&entry});
        const auto known = before == nullptr ? nullptr : before->role(name);
        roles_.emplace(name,
                       known && known->rights == rights ? known : std::make_shared<const User>("", std::move(rights)));
    }
    for (const auto& [name, entry] : file.users) {
        std::vector<const config::RightsEntry*> entries;
        bool has_all = false;
        for (const std::string& role : entry.roles) {
            has_all = has_all || role == config::UsersFile::all_role;
            if (const auto at = file.roles.find(role); at != file.roles.end()) entries.push_back(&at->second);
        }
        entries.push_back(&entry.rights);
        Rights rights = has_all ? Rights::everything() : compiler.compile(entries);
        Entry made{{nullptr, entry.password, entry.certificate}, entry.tokens};
        if (before != nullptr)
            if (const auto at = before->accounts_.find(name);
                at != before->accounts_.end() && is_same_user(made, rights, at->second))
                made.account.user = at->second.account.user;
        if (!made.account.user) made.account.user = std::make_shared<const User>(name, std::move(rights));
        const Account& account = accounts_.emplace(name, std::move(made)).first->second.account;
        for (const config::TokenEntry& token : entry.tokens)
            if (const auto digest = parse_digest(token.digest))
                tokens_.emplace(token.id, Token{*digest, token.expires, &account});
    }
}

bool Users::is_same_user(const Entry& now, const Rights& rights, const Entry& before) {
    const bool has_password = before.account.password.empty() || now.account.password == before.account.password;
    const bool has_certificate = now.account.certificate || !before.account.certificate;
    return rights == before.account.user->rights && has_password && has_certificate &&
           std::all_of(before.tokens.begin(), before.tokens.end(),
                       [&](const config::TokenEntry& token) { return still_lets_in(now.tokens, token); });
}

const Account* Users::find(std::string_view name) const {
    const auto at = accounts_.find(name);
    return at == accounts_.end() ? nullptr : &at->second.account;
}

const Token* Users::find_token(std::string_view id) const {
    const auto at = tokens_.find(std::string(id));
    return at == tokens_.end() ? nullptr : &at->second;
}

UserPtr Users::role(std::string_view name) const {
    if (name == config::UsersFile::all_role) return everybody();
    if (name == config::UsersFile::none_role) return nobody();
    const auto at = roles_.find(name);
    return at == roles_.end() ? nullptr : at->second;
}

std::vector<UserPtr> Users::changed_since(const Users& before) const {
    std::vector<UserPtr> changed;
    for (const auto& [name, entry] : before.accounts_) {
        const Account* now = find(name);
        if (now == nullptr || now->user != entry.account.user) changed.push_back(entry.account.user);
    }
    for (const auto& [name, user] : before.roles_)
        if (role(name) != user) changed.push_back(user);
    return changed;
}

}  // namespace sluice::auth
