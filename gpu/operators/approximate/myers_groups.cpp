#include "gpu/operators/approximate/myers_groups.hpp"

#include <algorithm>
#include <limits>

#include "gpu/operators/approximate/characters.hpp"

namespace sluice::approximate {

namespace {

// A table that is not small is not in the caches; patterns with many different characters get fewer neighbours.
constexpr std::size_t table_words_max = std::size_t{1} << 20;

std::size_t words_of(std::size_t characters, std::size_t bits) { return (characters + bits - 1) / bits; }

// Four vectors at a time hide each other's latency, whether their words stay in registers or go through memory.
template <class Word>
MyersKernel<Word> kernel_for(InstructionSet set, std::size_t patterns, std::size_t words, std::size_t characters) {
    Width width = Width::four;
    MyersKernel<Word> kernel = myers_kernel<Word>(set, width);
    const auto too_wide = [&] {
        return kernel.lanes / 2 >= patterns || kernel.lanes * words * characters > table_words_max;
    };
    while (width != Width::one && too_wide()) {
        width = width == Width::four ? Width::two : Width::one;
        kernel = myers_kernel<Word>(set, width);
    }
    const bool alone = patterns == 1 || kernel.lanes * words * characters > table_words_max;
    return alone ? myers_kernel<Word>(InstructionSet::portable, Width::one) : kernel;
}

}  // namespace

void ClassifiedText::assign(std::string_view utf8, const Alphabet& alphabet) {
    utf8_ = utf8;
    ascii_ = is_ascii(utf8);
    if (!ascii_) alphabet.classify(utf8, classes_);
}

void MyersGroups::add(std::span<const std::span<const std::uint32_t>> patterns, std::span<const std::uint32_t> ids,
                      std::uint32_t classes) {
    std::vector<std::uint32_t> order(patterns.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return patterns[i].size(); });
    std::vector<std::span<const std::uint32_t>> same;
    std::vector<std::uint32_t> same_ids;
    // 0: half a word.
    const auto words = [&](std::uint32_t i) { return patterns[i].size() <= 32 ? 0 : words_of(patterns[i].size(), 64); };
    for (std::size_t i = 0; i < order.size();) {
        const std::size_t n = words(order[i]);
        same.clear();
        same_ids.clear();
        for (; i < order.size() && words(order[i]) == n; ++i) {
            same.push_back(patterns[order[i]]);
            same_ids.push_back(ids[order[i]]);
        }
        if (n == 0)
            add_of_words<std::uint32_t>(same, same_ids, 1, classes);
        else
            add_of_words<std::uint64_t>(same, same_ids, static_cast<std::uint32_t>(n), classes);
    }
}

template <class Word>
void MyersGroups::add_of_words(std::span<const std::span<const std::uint32_t>> patterns,
                               std::span<const std::uint32_t> ids, std::uint32_t words, std::uint32_t classes) {
    while (!patterns.empty()) {
        const std::size_t characters = std::min<std::size_t>(classes, patterns.back().size());
        const auto kernel = kernel_for<Word>(set_, patterns.size(), words, characters);
        const std::size_t n = std::min(kernel.lanes, patterns.size());
        Group<Word> group{
            {patterns.first(n), static_cast<std::uint32_t>(kernel.lanes), words, classes, extent_ == Extent::substring},
            kernel,
            {},
            {}};
        group.patterns.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n));
        for (const auto pattern : patterns.first(n))
            group.lengths.push_back(static_cast<std::uint32_t>(pattern.size()));
        groups_.emplace_back(std::move(group));
        patterns = patterns.subspan(n);
        ids = ids.subspan(n);
    }
}

std::span<const std::uint32_t> MyersGroups::group_patterns(std::size_t group) const {
    return std::visit([](const auto& g) { return std::span<const std::uint32_t>(g.patterns); }, groups_[group]);
}

template <class Word>
void MyersGroups::run_lanes(const Group<Word>& group, const MyersKernel<Word>& kernel, std::size_t first_lane,
                            const ClassifiedText& text, std::size_t begin, std::size_t end, const std::uint32_t* k,
                            Workspace& workspace) const {
    using Distance = typename MyersTask<Word>::Distance;
    const std::size_t lanes = kernel.lanes, words = group.table.words;
    workspace.state.resize(std::max(workspace.state.size(), 2 * words * lanes));
    workspace.numbers.resize(std::max(workspace.numbers.size(), 3 * lanes));
    workspace.least.resize(lanes);
    auto* const length = reinterpret_cast<Distance*>(workspace.numbers.data());
    auto* const bound = length + lanes;
    auto* const least = bound + lanes;
    constexpr Distance nothing = std::numeric_limits<Distance>::min() / 2;
    constexpr std::uint32_t beyond_all = 1u << 30;  // no whole text of at most text_bytes_max has such a distance
    std::uint64_t characters = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
        const bool used = first_lane + l < group.lengths.size();
        const std::uint32_t m = used ? group.lengths[first_lane + l] : 0;
        const std::uint32_t k_most = extent_ == Extent::whole ? beyond_all : m;
        length[l] = least[l] = static_cast<Distance>(m);
        bound[l] = !used ? nothing : static_cast<Distance>(k == nullptr ? m - 1 : std::min(k[l], k_most));
        if (!used) least[l] = nothing;
        characters += m;
    }
    MyersTask<Word> task{.table = group.table.table.data() + first_lane,
                         .row_of = group.table.row_of.data(),
                         .inside = group.table.inside.data() + first_lane,
                         .stride = group.table.lanes,
                         .words = words,
                         .bytes = text.ascii() ? text.bytes() + begin : nullptr,
                         .classes = text.ascii() ? nullptr : text.classes() + begin,
                         .n = end - begin,
                         .extent = extent_,
                         .decide = k != nullptr,
                         .length = length,
                         .bound = bound,
                         .least = least,
                         .state = reinterpret_cast<Word*>(workspace.state.data())};
    kernel.run(task);
    for (std::size_t l = 0; l < lanes; ++l) workspace.least[l] = least[l];
    workspace.cells += characters * task.blocks / words;
}

void MyersGroups::run(std::size_t group, const ClassifiedText& text, const std::uint32_t* k,
                      Workspace& workspace) const {
    std::visit([&](const auto& g) { run_lanes(g, g.kernel, 0, text, 0, text.size(), k, workspace); }, groups_[group]);
}

std::int64_t MyersGroups::run_lane(Place place, const ClassifiedText& text, std::size_t begin, std::size_t end,
                                   const std::uint32_t* k, Workspace& workspace) const {
    std::visit(
        [&]<class Word>(const Group<Word>& g) {
            const auto scalar = myers_kernel<Word>(InstructionSet::portable, Width::one);
            run_lanes(g, scalar, place.lane, text, begin, end, k, workspace);
        },
        groups_[place.group]);
    return workspace.least[0];
}

}  // namespace sluice::approximate
