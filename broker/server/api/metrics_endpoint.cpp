// GET /metrics
#include "broker/base/exposition.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/handlers.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// OpenMetrics, unless the client names only Prometheus's older format or, as a browser does, wants to show a page.
base::ExpositionFormat wanted_format(const HttpRequest& request) {
    const std::string_view accepted = request.header(http::field::accept);
    const auto names = [&](std::string_view type) { return accepted.find(type) != accepted.npos; };
    if (names("application/openmetrics-text") || !names("text/")) return base::ExpositionFormat::open_metrics;
    return base::ExpositionFormat::prometheus_text;
}

}  // namespace

asio::awaitable<HttpReply> show_metrics(Services& services, HttpRequest& request) {
    const base::ExpositionFormat format = wanted_format(request);
    ReusedText& text = format == base::ExpositionFormat::open_metrics ? services.open_metrics : services.metrics_text;
    HttpReply reply;
    reply.content_type = base::content_type_of(format);
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.headers.emplace_back("Vary", "Accept");
    reply.shared_body = text.get([&] { return base::expose(services.counters.metrics.read(), format); });
    co_return reply;
}

}  // namespace sluice::server
