#include "broker/auth/tickets.hpp"

#include <algorithm>
#include <utility>

namespace sluice::auth {

namespace {

constexpr std::string_view ticket_prefix = "slk_";
constexpr std::size_t ticket_id_letters = 16;

}  // namespace

bool Tickets::is_over(const Ticket& ticket, Clock::time_point now) {
    return now - ticket.issued >= (ticket.target ? Clock::duration(time_max) : Clock::duration(first_use_max));
}

template <typename Condition>
void Tickets::erase_locked(Condition condition) {
    std::erase_if(tickets_, [&](const auto& each) {
        if (!condition(each.second)) return false;
        ids_.erase(each.second.digest);
        return true;
    });
}

std::optional<Tickets::Issued> Tickets::issue(const UserPtr& user, Clock::time_point now) {
    const Sha256 secret = random_key();
    Issued issued{random_letters(ticket_id_letters), std::string(ticket_prefix) + base64url_text(secret)};
    const Sha256 digest = sha256(issued.text);
    const std::lock_guard lock(mutex_);
    erase_locked([now](const Ticket& ticket) { return is_over(ticket, now); });
    const auto of_user = std::count_if(tickets_.begin(), tickets_.end(),
                                       [&](const auto& each) { return each.second.user->name == user->name; });
    if (tickets_.size() >= tickets_max || static_cast<std::size_t>(of_user) >= of_user_max) return std::nullopt;
    ids_.emplace(digest, issued.id);
    tickets_.emplace(issued.id, Ticket{digest, user, now});
    return issued;
}

Tickets::Use Tickets::use(std::string_view text, const std::string& target, Clock::time_point now) {
    constexpr const char* unknown = "the ticket is not valid: it has expired, has been revoked, or never was";
    const Sha256 digest = sha256(text);
    const std::lock_guard lock(mutex_);
    const auto id = ids_.find(digest);
    if (id == ids_.end()) return {nobody(), {}, unknown};
    Ticket& ticket = tickets_.at(id->second);
    if (is_over(ticket, now) || ticket.user->is_revoked) return {nobody(), {}, unknown};
    if (ticket.target && *ticket.target != target)
        return {nobody(), {}, "the ticket is for the URL of its first use alone: get another with POST /v1/tickets"};
    if (!ticket.target) ticket.target = target;
    return {ticket.user, id->second, {}};
}

bool Tickets::begin_stream(const std::string& id, EndStream end) {
    EndStream before;
    {
        const std::lock_guard lock(mutex_);
        const auto at = tickets_.find(id);
        if (at == tickets_.end()) return false;
        before = std::exchange(at->second.end, std::move(end));
    }
    if (before) before();
    return true;
}

bool Tickets::revoke(const std::string& id, const User& by) {
    EndStream end;
    {
        const std::lock_guard lock(mutex_);
        const auto at = tickets_.find(id);
        if (at == tickets_.end()) return false;
        if (at->second.user->name != by.name && !by.rights.operate) return false;
        end = std::move(at->second.end);
        ids_.erase(at->second.digest);
        tickets_.erase(at);
    }
    if (end) end();
    return true;
}

void Tickets::forget_revoked() {
    const std::lock_guard lock(mutex_);
    erase_locked([](const Ticket& ticket) { return ticket.user->is_revoked.load(); });
}

std::size_t Tickets::size() const {
    const std::lock_guard lock(mutex_);
    return tickets_.size();
}

}  // namespace sluice::auth
