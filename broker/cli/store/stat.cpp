#include <boost/json.hpp>
#include <exception>
#include <ostream>

#include "broker/cli/common/columns.hpp"
#include "broker/cli/store/store_options.hpp"
#include "broker/store/offline/store_figures.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

std::string time_text(feed::RecordTime time) { return text::format_rfc3339(static_cast<double>(time) / 1e6); }

boost::json::object stream_json(const store::StreamFigures& stream) {
    const store::StoredExtent& extent = stream.extent;
    boost::json::object json{{"name", stream.name},
                             {"events", extent.events},
                             {"bytes", extent.bytes},
                             {"last_id", extent.last_id},
                             {"defined", stream.is_defined}};
    if (extent.events != 0) {
        json["first_id"] = extent.first_id;
        json["oldest"] = time_text(extent.oldest);
    }
    if (stream.identities) json["identities"] = *stream.identities;
    return json;
}

void print_json(const store::StoreFigures& figures, const Console& console) {
    boost::json::array streams;
    boost::json::object parts;
    for (const store::StreamFigures& stream : figures.streams) streams.push_back(stream_json(stream));
    for (const store::PartFigures& part : figures.parts)
        parts[part.name] = boost::json::object{{"files", part.files}, {"bytes", part.bytes}};
    boost::json::object json{{"epoch", figures.epoch},     {"last_id", figures.last_id},
                             {"ids_end", figures.ids_end}, {"dead_bytes", figures.dead_bytes},
                             {"parts", std::move(parts)},  {"streams", std::move(streams)}};
    if (figures.user) json["open_by"] = *figures.user;
    console.print_json(boost::json::serialize(json));
}

void print_table(const std::vector<std::vector<std::string>>& rows, const std::vector<Side>& sides,
                 const Console& console) {
    const auto lines = in_columns(rows, sides);
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

void print(const store::StoreFigures& figures, const Console& console) {
    std::vector<std::vector<std::string>> rows{{"STREAM", "EVENTS", "BYTES", "OLDEST", "LAST ID", "DEFINED"}};
    const bool has_identities = !figures.streams.empty() && figures.streams.front().identities.has_value();
    if (has_identities) rows.front().emplace_back("KNOWN ITEMS");
    for (const store::StreamFigures& stream : figures.streams) {
        const store::StoredExtent& extent = stream.extent;
        rows.push_back({text::terminal_line(stream.name), std::to_string(extent.events), std::to_string(extent.bytes),
                        extent.events == 0 ? "-" : time_text(extent.oldest), std::to_string(extent.last_id),
                        stream.is_defined ? "yes" : "no"});
        if (has_identities) rows.back().push_back(std::to_string(stream.identities.value_or(0)));
    }
    constexpr Side right = Side::right, left = Side::left;
    print_table(rows, {left, right, right, left, right, left, right}, console);
    console.out << '\n';
    std::vector<std::vector<std::string>> parts{{"PART", "FILES", "BYTES ON DISK"}};
    for (const store::PartFigures& part : figures.parts)
        parts.push_back({part.name, std::to_string(part.files), std::to_string(part.bytes)});
    print_table(parts, {left, right, right}, console);
    console.out << "\nepoch: " << figures.epoch << "\nlast id: " << figures.last_id
                << "\nids given up to: " << figures.ids_end
                << "\nbytes on disk of events that are no longer retained, estimated: " << figures.dead_bytes << '\n';
}

}  // namespace

int stat_store(const StoreStatOptions& options, Console console) {
    try {
        const store::StoreFigures figures = store::figures_of_store(options.folder, options.all);
        options.json ? print_json(figures, console) : print(figures, console);
        if (figures.user) console.note(*figures.user + " has the store open, so this is how it was at some moment");
        return exit_done;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

}  // namespace sluice::cli
