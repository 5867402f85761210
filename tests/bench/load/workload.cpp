#include "tests/bench/load/workload.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/bench/load/contains_workload.hpp"
#include "tests/bench/load/mixed_workload.hpp"
#include "tests/bench/load/number_workload.hpp"
#include "tests/bench/load/operator_workloads.hpp"

namespace sluice::load {

std::string Workload::letters(std::string_view alphabet, std::size_t count) {
    std::string text(count, ' ');
    for (char& c : text) c = alphabet[below(alphabet.size())];
    return text;
}

Receivers Workload::append_item(std::uint64_t number, std::string& document) {
    Item item = next_item(number);
    const auto name = std::to_string(number);
    document.append("<item><title>e").append(name).append(" ").append(item.title);
    document.append("</title><link>http://feeds.example/items/").append(name).append("</link><guid>item-").append(name);
    document.append("</guid><category>").append(item.category).append("</category>").append(item.elements);
    document.append("<pubDate>Sat, 07 Sep 2024 09:42:31 GMT</pubDate>");
    document
        .append("<description>An item of the usual length, with a sentence or two of text that no filter asks for, ")
        .append("so that there is something to parse and to carry.</description></item>");
    ++items_;
    matched_ += item.connections.size();
    Receivers receivers = std::move(item.connections);
    std::sort(receivers.begin(), receivers.end());
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    return receivers;
}

double Workload::filters_matched_mean() const {
    return items_ == 0 ? 0 : static_cast<double>(matched_) / static_cast<double>(items_);
}

std::unique_ptr<Workload> make_workload(const WorkloadOptions& options) {
    if (options.kind == "mixed") return std::make_unique<MixedWorkload>(options);
    if (options.kind == "approximate")
        return std::make_unique<TitleWorkload>(options, TitleWorkload::Asks::approximate);
    if (options.kind == "matches") return std::make_unique<TitleWorkload>(options, TitleWorkload::Asks::matches);
    if (options.kind == "contains") return std::make_unique<ContainsWorkload>(options);
    if (options.kind == "align") return std::make_unique<AlignWorkload>(options);
    if (options.kind == "laminarity") return std::make_unique<LaminarityWorkload>(options);
    if (options.kind.starts_with('W')) return std::make_unique<NumberWorkload>(options);
    throw std::runtime_error("there is no workload " + options.kind);
}

}  // namespace sluice::load
