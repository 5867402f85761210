// Any text as an operator's value: the first line is a filter, the rest is the value of every attribute that it reads.
// The fast operators (series, sequences, edit distances, regular expressions) must answer like the plain ones.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "gpu/api/matcher.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"

namespace {

using namespace sluice;

bool matches(engine::Backend backend, const filter::Filter& filter, std::string_view text) {
    const auto set = engine::make_subscription_set(backend);
    set->add(filter.disjunction);
    const auto program = set->compile();
    engine::EventBatch batch;
    for (std::uint32_t a = 0; a < program->attributes()->names.size(); ++a)
        batch.values.push_back({a, text, filter::xpath_number(text)});
    batch.end_event();
    std::vector<engine::Match> found;
    program->match(batch, found);
    return !found.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t bytes_max = 4096;  // the plain operators are slow
    if (size > bytes_max) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t line = bytes.find('\n');
    if (line == std::string_view::npos) return 0;
    const auto filter = filter::compile_filter(bytes.substr(0, line));
    if (!filter) return 0;
    const std::string_view text = bytes.substr(line + 1);
    if (matches(engine::Backend::cpu, *filter, text) == matches(engine::Backend::naive, *filter, text)) return 0;
    std::cerr << "the backends differ: " << filter->canonical << '\n';
    std::abort();
}
