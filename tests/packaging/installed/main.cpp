// Prints the titles of the items of a feed that a filter selects: parser, filter language and matching engine together.
#include <iostream>
#include <memory>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/wire/http/query.hpp"

namespace {

constexpr const char* feed_text = R"(<rss version="2.0"><channel><title>Harbour</title>
<item><title>Ship's bell</title><price>60</price></item>
<item><title>Dinghy</title><price>850</price></item>
<item><title>Lamp for the pier</title><price>90.5</price></item>
</channel></rss>)";

}  // namespace

int main() {
    const auto expression = sluice::wire::decode_query_text("price+%3C+100+and+matches(title,'[LS]')");
    const auto filter = sluice::filter::compile_filter(*expression);
    const auto document = sluice::feed::parse_document(feed_text, {});

    const auto subscriptions = sluice::engine::make_subscription_set(sluice::engine::Backend::cpu);
    subscriptions->add(filter->disjunction);
    const auto program = subscriptions->compile();

    const sluice::feed::Extractor extractor(program->attributes()->names);
    sluice::engine::EventBatch batch;
    sluice::feed::TextArena arena;
    sluice::feed::ValueGroups groups;
    const auto stream = std::make_shared<const std::string>("consumer");
    for (std::size_t i = 0; i < (*document)->items().size(); ++i) {
        extractor.extract({*document, i, stream, i + 1}, batch, arena, groups);
    }
    std::vector<sluice::engine::Match> matches;
    program->match(batch, matches);
    for (const sluice::engine::Match& match : matches) {
        for (std::size_t i = 0; i < (*document)->items().size(); ++i) {
            if ((match.accepted >> i & 1) == 0) continue;
            std::cout << (*document)->items()[i].element.child_value("title") << '\n';
        }
    }
}
