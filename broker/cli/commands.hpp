// The commands of the sluice program for documents, filters and brokers, one function each; those that run one operator
// on files are in operator_options.hpp. They write results and messages to the console, and return the exit status.
// Called once, from main.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/client/broker_options.hpp"
#include "broker/cli/client/subscription_path.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

enum class ItemFormat { title, json, xml, source };

// Commands that talk to a broker.

struct PublishOptions : BrokerOptions {
    std::optional<std::string> stream;  // none: the broker's default
    std::vector<std::string> files;     // "-": standard input
    bool deduplicate = true;
    std::string content_type;  // of all files; empty: by their names and texts
    std::string repair;        // "lenient" or "strict"; empty: the stream's
    // Each line is a document, which is sent as it comes; none: if standard input has a JSON object a line, or an
    // NDJSON file is too large for one document.
    std::optional<bool> lines;
    std::string trace_parent;  // well-formed; empty: the trace context of the environment, if it has one
    std::size_t document_bytes_max = 1u << 30;  // what no broker's limits.document_bytes exceeds; more is not read
};
int publish(const PublishOptions& options, Console console);

struct SubscribeOptions : BrokerOptions {
    std::optional<std::string> stream;  // none: the broker's default
    std::vector<std::string> filters;   // items that satisfy any of them
    ItemFormat format = ItemFormat::title;
    bool all_values = false;           // the JSON has the values by path, whatever was published
    bool annotate_alignment = false;   // print the alignments that made the filters match
    bool reconnect = true;             // after the connection is lost
    std::optional<std::size_t> count;  // exit after this many items
    // Where to begin in what the broker keeps, at most one of them, as GET /v1/events has it; none: with what is
    // published from now on.
    std::optional<std::string> after, since;
    bool from_first = false;
    bool until_now = false;  // end after what the broker kept when it was asked

    // A durable subscription, which has filters, streams and a position of its own. Empty: none.
    std::string subscription;
    SubscriptionOwner owner;          // whose it is
    bool takeover = false;            // end the consumer that it has
    bool ack = false;                 // acknowledge what has been printed
    std::optional<std::string> exec;  // instead of printing, run this by a shell for each event, and acknowledge it
    std::string retry_delay = "1s";   // before an event for which it fails is delivered again
};
int subscribe(const SubscribeOptions& options, Console console);
// The same with until_now, and from the first if no other beginning is given.
int replay(const SubscribeOptions& options, Console console);

struct WhyOptions : BrokerOptions {
    std::string id;  // of the event: its number, or EPOCH-ID
    std::string filter;
    std::optional<std::string> stream;  // that the event must be of; none: any
};
int why(const WhyOptions& options, Console console);

struct StatusOptions : BrokerOptions {
    bool all = false;  // also what is zero or empty, and the buckets of histograms
};
int status(const StatusOptions& options, Console console);

constexpr std::chrono::milliseconds top_timeout{10'000};  // the default of --timeout
struct TopOptions : BrokerOptions {
    std::chrono::milliseconds interval{2'000};
    std::optional<std::uint64_t> count;  // print so many tables and exit
};
int top(const TopOptions& options, Console console);

struct SubscriptionsOptions : BrokerOptions {
    std::string name;                         // of the durable subscription
    SubscriptionOwner owner;                  // whose it is; of list: "*" for all
    std::optional<std::uint64_t> if_version;  // change or delete it only if it has this version
};
int list_subscriptions(const SubscriptionsOptions& options, Console console);
int show_subscription(const SubscriptionsOptions& options, Console console);
int delete_subscription(const SubscriptionsOptions& options, Console console);
int dead_letters(const SubscriptionsOptions& options, Console console);

struct SetSubscriptionOptions : SubscriptionsOptions {
    bool create = false;  // fail if it exists
    // What is not given stays as it is, or has its default in a new subscription.
    std::vector<std::string> streams, filters;
    std::optional<std::string> start, ack, ack_wait, dead_letter, hold_bytes;
    std::optional<std::uint64_t> max_deliver, prefetch;
    std::optional<bool> share;
    std::vector<std::string> defaults;  // names of options that get their defaults, as the broker has them
};
int set_subscription(const SetSubscriptionOptions& options, Console console);

struct SeekSubscriptionOptions : SubscriptionsOptions {
    std::string to;  // now, first, an id, a time or a duration
};
int seek_subscription(const SeekSubscriptionOptions& options, Console console);

struct StreamsOptions : BrokerOptions {
    std::optional<std::string> stream;  // none: list all streams
    std::vector<std::string> set;       // NAME=VALUE, such as deduplicate=false; creates the stream
    bool erase = false;
    bool purge = false;
    std::optional<std::uint64_t> before;  // of purge
    std::optional<std::uint64_t> event;   // to be erased
};
int streams(const StreamsOptions& options, Console console);

// Commands that need no broker (match needs one with `since`).

struct ExplainOptions : OutputOptions {
    std::string filter;
};
int explain(const ExplainOptions& options, Console console);

struct MatchOptions : BrokerOptions {
    std::string filter, stream = "default", event_path;
    std::optional<std::string> since;  // a time or a duration: count the stream's retained events instead of files
    std::vector<std::string> files;    // "-": standard input
    std::string content_type;          // of all files; empty: by their names and texts
    std::string repair = "lenient";    // or "strict"
    ItemFormat format = ItemFormat::title;
    bool all_values = false;  // as for subscribe
};
int match(const MatchOptions& options, Console console);

}  // namespace sluice::cli
