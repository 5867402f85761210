#include "broker/cli/item_output.hpp"

#include <boost/json.hpp>
#include <ostream>

#include "broker/cli/events/event_text.hpp"
#include "broker/cli/events/reset_text.hpp"

namespace sluice::cli {

void ItemOutput::take(const SseEvent& event, const std::string& place) {
    take_notice(event, place);
    if (event.type == "message") print(event.data);
}

void ItemOutput::take_notice(const SseEvent& event, const std::string& place) {
    if (event.type == "gap") return gaps_.take(event.data);
    gaps_.end();
    if (event.type != "reset") return;
    boost::system::error_code error;
    const boost::json::value reset = boost::json::parse(event.data, error);
    console_.warning(reset_text(reset, place), {{"reset", reset}});
}

void ItemOutput::print(const std::string& data) {
    count_item();
    switch (options_.format) {
        case ItemFormat::title:
            console_.out << event_text(data) << '\n';
            break;
        case ItemFormat::json:
            console_.print_json(data);
            break;
        case ItemFormat::xml:
        case ItemFormat::source:
            console_.print_raw(data);
            break;
    }
    console_.out.flush();
}

}  // namespace sluice::cli
