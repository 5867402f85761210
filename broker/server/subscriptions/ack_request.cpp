#include "broker/server/subscriptions/ack_request.hpp"

#include <boost/json/parse.hpp>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "config/units.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

using broker::Acknowledgement;

constexpr std::chrono::hours wait_max{24 * 7};

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads the members of one request. Throws Refused.
class AckReader {
public:
    AckReader(std::string_view epoch, AckRequest& request) : epoch_(epoch), request_(request) {}

    void read(const json::object& body) {
        for (const auto& [key, member] : body) {
            if (key == "ids")
                read_ids(list("ids", member));
            else if (key == "up_to")
                read_up_to(member);
            else if (key == "nack")
                read_rejections(list("nack", member));
            else if (key == "extend")
                read_extensions(list("extend", member));
            else
                throw unknown(key, "the body", "ids, up_to, nack, extend");
        }
    }

private:
    static std::string quoted(std::string_view text) {
        constexpr std::size_t shown_max = 100;
        return "\"" + text::shortened_utf8(text, shown_max) + "\"";
    }
    static Refused unknown(std::string_view key, const std::string& where, const std::string& known) {
        return Refused("unknown member " + quoted(key) + " in " + where + "; known are " + known);
    }
    static std::string place(const char* name, std::size_t index) {
        return std::string(name) + "[" + std::to_string(index) + "]";
    }

    const json::array& list(const char* name, const json::value& member) {
        if (!member.is_array()) throw Refused("member \"" + std::string(name) + "\" is not a list");
        const json::array& entries = member.get_array();
        if (entries.size() > AckRequest::entries_max - entries_)
            throw Refused("more than " + std::to_string(AckRequest::entries_max) + " entries in all");
        entries_ += entries.size();
        return entries;
    }

    static std::optional<std::uint64_t> number(const json::value& value) {
        if (value.is_uint64()) return value.get_uint64();
        if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
        return std::nullopt;
    }

    // No value: it is of another epoch.
    std::optional<std::uint64_t> read_id(const json::value& value, const std::string& where) {
        std::optional<std::uint64_t> id = number(value);
        bool is_other = false;
        if (value.is_string()) {
            const std::string_view text = value.get_string();
            const std::size_t dash = text.rfind('-');
            const bool has_epoch = dash != std::string_view::npos && dash != 0;
            id = config::parse_integer(has_epoch ? text.substr(dash + 1) : text);
            is_other = has_epoch && text.substr(0, dash) != epoch_;
        }
        if (!id || *id == 0)
            throw Refused(where + " is not an event's number, or an id as in the event stream, \"EPOCH-ID\"");
        if (!is_other) return id;
        request_.other_epochs.emplace_back(value.get_string());
        return std::nullopt;
    }

    static std::uint32_t read_deliveries(const json::value& value, const std::string& where) {
        const auto deliveries = number(value);
        if (!deliveries || *deliveries == 0 || *deliveries > std::numeric_limits<std::uint32_t>::max())
            throw Refused(where + " is not a number of deliveries, from 1 on");
        return static_cast<std::uint32_t>(*deliveries);
    }

    static std::chrono::microseconds read_wait(const json::value& value, const std::string& where) {
        const auto wait = value.is_string() ? config::parse_duration(std::string_view(value.get_string()))
                                            : std::optional<std::chrono::microseconds>();
        if (!wait) throw Refused(where + " is not a duration with its unit, such as \"5s\" or \"10min\"");
        if (*wait > wait_max) throw Refused(where + " is more than " + config::duration_text(wait_max));
        return *wait;
    }

    static std::string read_reason(const json::value& value, const std::string& where) {
        if (!value.is_string()) throw Refused(where + " is not a string");
        const std::string_view reason = value.get_string();
        if (reason.size() > broker::Ledger::reason_bytes_max)
            throw Refused(where + " has more than " + std::to_string(broker::Ledger::reason_bytes_max) + " bytes");
        return std::string(reason);
    }

    void read_ids(const json::array& entries) {
        request_.what.ids.reserve(entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (const auto id = read_id(entries[i], place("ids", i))) request_.what.ids.push_back(*id);
    }

    void read_up_to(const json::value& value) { request_.what.up_to = read_id(value, "up_to"); }

    // Calls `read(key, value, where)` for each member but "id", which must be there; it returns whether it knows the
    // member. Returns the id, if it is of this epoch.
    template <typename Read>
    std::optional<std::uint64_t> read_entry(const json::value& entry, const std::string& where,
                                            const std::string& known, const Read& read) {
        if (!entry.is_object()) throw Refused(where + " is not an object");
        const json::value* id = entry.get_object().if_contains("id");
        if (id == nullptr) throw Refused(where + " has no \"id\"");
        for (const auto& [key, value] : entry.get_object())
            if (key != "id" && !read(key, value, where + "." + std::string(key))) throw unknown(key, where, known);
        return read_id(*id, where + ".id");
    }

    void read_rejections(const json::array& entries) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            Acknowledgement::Rejection rejection;
            const auto read = [&](std::string_view key, const json::value& value, const std::string& where) {
                if (key == "deliveries")
                    rejection.deliveries = read_deliveries(value, where);
                else if (key == "delay")
                    rejection.delay = read_wait(value, where);
                else if (key == "reason")
                    rejection.reason = read_reason(value, where);
                else
                    return false;
                return true;
            };
            const auto id = read_entry(entries[i], place("nack", i), "id, deliveries, delay, reason", read);
            if (!id) continue;
            rejection.id = *id;
            request_.what.rejected.push_back(std::move(rejection));
        }
    }

    void read_extensions(const json::array& entries) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            Acknowledgement::Extension extension;
            const auto read = [&](std::string_view key, const json::value& value, const std::string& where) {
                if (key == "deliveries")
                    extension.deliveries = read_deliveries(value, where);
                else if (key == "by")
                    extension.by = read_wait(value, where);
                else
                    return false;
                return true;
            };
            const auto id = read_entry(entries[i], place("extend", i), "id, deliveries, by", read);
            if (!id) continue;
            extension.id = *id;
            request_.what.extended.push_back(extension);
        }
    }

    const std::string_view epoch_;
    AckRequest& request_;
    std::size_t entries_ = 0;
};

}  // namespace

std::optional<HttpReply> read_ack_request(std::string_view body, std::string_view epoch, AckRequest& request) {
    boost::system::error_code error;
    const json::value value = json::parse(body, error);
    if (error) return status_reply(400, "the body is not JSON: " + error.message());
    if (!value.is_object()) return status_reply(400, "the body is not a JSON object");
    try {
        AckReader(epoch, request).read(value.get_object());
    } catch (const Refused& refused) {
        return status_reply(400, refused.what());
    }
    return std::nullopt;
}

}  // namespace sluice::server
