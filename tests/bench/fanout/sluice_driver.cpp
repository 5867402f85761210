// Sluice: one-item documents by POST /v1/events, pipelined, or as lines of one POST /v1/publish; event streams of JSON.
#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/load/process.hpp"

namespace sluice::fanout {

namespace {

class SluiceDaemon final : public Daemon {
public:
    SluiceDaemon(const std::string& program, const std::vector<std::string>& settings) : process_(program, settings) {}

    std::uint16_t port() const override { return process_.port(); }
    double cpu_seconds() const override { return load::cpu_seconds(process_.id()); }
    std::string end() override {
        const int status = process_.end();
        return status == 0 ? std::string() : "it ended with wait status " + std::to_string(status);
    }

private:
    load::BrokerProcess process_;
};

std::string head_of(std::string_view path, std::string_view fields) {
    std::string head(path);
    head += "stream=";
    head += topic;
    return head.append(" HTTP/1.1\r\nHost: localhost\r\n").append(fields) + "\r\n";
}

// Those of filters 0, 1, 2 … that subscriber `index` has.
std::string subscription(const Scenario& scenario, std::size_t index) {
    std::string path = "GET /v1/events?format=json&";
    for (std::size_t i = index; i < scenario.filters; i += scenario.subscribers)
        path += "filter=key%20%3D%20%22k" + number_text(i) + "%22&";
    return head_of(path, "");
}

Protocol protocol_of(const Scenario& scenario) {
    Protocol protocol;
    for (std::size_t i = 0; i < scenario.subscribers; ++i) protocol.subscribe.push_back(subscription(scenario, i));
    protocol.subscribed = ": subscribed\n";
    const Message document = scenario.document();
    if (scenario.is_streamed) {
        protocol.begin =
            head_of("POST /v1/publish?", "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n");
        protocol.message = framed("", document, "\n");
        protocol.is_chunked = true;
        protocol.end = "\r\n0\r\n\r\n";
        protocol.reply_mark = "\"refused\":";  // of the summary
        protocol.reply_good = "0,";
    } else {
        const std::string type = scenario.is_json ? "application/json" : "application/rss+xml";
        const std::string length = std::to_string(document.bytes.size());
        protocol.message =
            framed(head_of("POST /v1/events?", "Content-Type: " + type + "\r\nContent-Length: " + length + "\r\n"),
                   document, "");
        protocol.reply_mark = "HTTP/1.1 ";
        protocol.reply_good = "202";
        protocol.replies_to_each = true;
    }
    return protocol;
}

}  // namespace

System start_sluice(const Scenario& scenario, const std::string& program, const std::vector<std::string>& settings) {
    return {"sluice", std::make_unique<SluiceDaemon>(program, settings), protocol_of(scenario)};
}

}  // namespace sluice::fanout
