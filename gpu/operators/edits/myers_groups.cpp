#include "gpu/operators/edits/myers_groups.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/table_size.hpp"

namespace sluice::edits {

namespace {

// The different characters of all members together; stops once there are more than `most`.
template <class Members>
std::vector<std::uint32_t> distinct_of_all(const Members& members, std::size_t most = ~std::size_t{0}) {
    std::vector<std::uint32_t> all, merged;
    for (const auto& member : members) {
        merged.clear();
        std::ranges::set_union(all, member.distinct, std::back_inserter(merged));
        all.swap(merged);
        if (all.size() > most) break;
    }
    return all;
}

template <class Members>
std::size_t allowed_bytes(const Members& members) {
    std::size_t sum = 0;
    for (const auto& member : members) sum += table_bytes_max(member.size());
    return sum;
}

template <class Word>
std::size_t table_bytes(std::size_t lanes, std::size_t words, std::size_t distinct) {
    return sizeof(Word) * lanes * words * (distinct + 1);
}

// The bytes that a group needs to find its rows if it has its own numbering of classes.
std::size_t own_index_bytes(std::size_t distinct) {
    return sizeof(std::uint32_t) * (Alphabet::other + 1 + distinct) + ClassMap::bytes_of(distinct);
}

template <class Word, class Members>
bool fits(const MyersKernel<Word>& kernel, const Members& members) {
    const std::size_t allowed = allowed_bytes(members), words = pattern_words(members.front().classes.size());
    const std::size_t most = allowed / table_bytes<Word>(kernel.lanes, words, 0);
    const std::size_t distinct = distinct_of_all(members, most).size();
    return table_bytes<Word>(kernel.lanes, words, distinct) + own_index_bytes(distinct) <= allowed;
}

// Four vectors at a time hide each other's latency, whether their words are in registers or in memory.
template <class Word, class Members>
MyersKernel<Word> kernel_for(InstructionSet set, const Members& members) {
    for (const Width width : {Width::four, Width::two, Width::one}) {
        const auto kernel = myers_kernel<Word>(set, width);
        const bool too_wide = width != Width::one && kernel.lanes / 2 >= members.size();
        if (too_wide || members.size() == 1) continue;
        if (fits<Word>(kernel, members.first(std::min(kernel.lanes, members.size())))) return kernel;
    }
    return myers_kernel<Word>(InstructionSet::portable, Width::one);
}

}  // namespace

void ClassifiedText::assign(std::string_view utf8, const Alphabet& alphabet) {
    utf8_ = utf8;
    ascii_ = is_ascii(utf8);
    if (!ascii_) alphabet.classify(utf8, classes_);
}

void MyersGroups::add(std::span<const std::span<const std::uint32_t>> patterns, std::span<const std::uint32_t> ids,
                      std::uint32_t classes) {
    std::vector<Member> members;
    members.reserve(patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        Member member{patterns[i], distinct_of(patterns[i]), ids[i]};
        if (is_listed(member.size()))
            add_listed(member);
        else
            members.push_back(std::move(member));
    }
    std::ranges::stable_sort(members, {}, [](const Member& m) { return m.classes.size(); });
    const auto words = [](const Member& m) {
        return std::pair(word_bytes(m.classes.size()), pattern_words(m.classes.size()));
    };
    for (std::size_t i = 0, end = 0; i < members.size(); i = end) {
        while (end < members.size() && words(members[end]) == words(members[i])) ++end;
        const Members same = Members(members).subspan(i, end - i);
        if (words(members[i]).first == sizeof(std::uint32_t))
            add_of_words<std::uint32_t>(same, classes);
        else
            add_of_words<std::uint64_t>(same, classes);
    }
}

template <class Word>
void MyersGroups::add_of_words(Members members, std::uint32_t classes) {
    while (!members.empty()) {
        const auto kernel = kernel_for<Word>(set_, members);
        const std::size_t n = std::min(kernel.lanes, members.size());
        add_group(members.first(n), kernel, classes);
        members = members.subspan(n);
    }
}

template <class Word>
void MyersGroups::add_group(Members members, const MyersKernel<Word>& kernel, std::uint32_t classes) {
    const auto lanes = static_cast<std::uint32_t>(kernel.lanes);
    const auto words = static_cast<std::uint32_t>(pattern_words(members.front().classes.size()));
    const auto distinct = distinct_of_all(members);
    std::vector<std::span<const std::uint32_t>> patterns;
    for (const Member& member : members) patterns.push_back(member.classes);
    // If the rows of all classes fit the limit, texts need no renumbering.
    const std::size_t bytes = table_bytes<Word>(lanes, words, distinct.size()) + sizeof(std::uint32_t) * classes;
    std::optional<ClassMap> own;
    std::vector<std::vector<std::uint32_t>> renumbered;
    if (bytes > allowed_bytes(members)) {
        classes = own.emplace(distinct).size();
        for (const Member& member : members) renumbered.push_back(own->of(member.classes));
        patterns.assign(renumbered.begin(), renumbered.end());
    }
    Group<Word> group{
        {patterns, lanes, words, classes, extent_ == Extent::substring}, {}, std::move(own), kernel, {}, {}};
    for (const Member& member : members) {
        group.patterns.push_back(member.id);
        group.lengths.push_back(static_cast<std::uint32_t>(member.classes.size()));
    }
    groups_.emplace_back(std::move(group));
}

void MyersGroups::add_listed(const Member& member) {
    ClassMap own(member.distinct);
    const auto words = static_cast<std::uint32_t>(pattern_words(member.classes.size()));
    PlaceList places(own.of(member.classes), own.size(), extent_ == Extent::substring);
    groups_.emplace_back(Group<std::uint64_t>{{{}, 1, words, 0, false},
                                              std::move(places),
                                              std::move(own),
                                              gathering_kernel(),
                                              {member.id},
                                              {static_cast<std::uint32_t>(member.classes.size())}});
}

std::size_t MyersGroups::bytes() const {
    std::size_t sum = 0;
    for (const AnyGroup& any : groups_) {
        std::visit(
            [&](const auto& g) {
                sum += g.table.table.capacity() * sizeof(g.table.table[0]);
                sum += g.table.row_of.capacity() * sizeof(std::uint32_t);
                if (g.places) sum += (g.places->begin.capacity() + g.places->places.capacity()) * sizeof(std::uint32_t);
                if (g.own) sum += g.own->bytes();
            },
            any);
    }
    return sum;
}

std::span<const std::uint32_t> MyersGroups::group_patterns(std::size_t group) const {
    return std::visit([](const auto& g) { return std::span<const std::uint32_t>(g.patterns); }, groups_[group]);
}

// A text's characters in the group's numbering.
template <class Word>
const std::uint32_t* MyersGroups::classes_of(const Group<Word>& group, const ClassifiedText& text, std::size_t begin,
                                             std::size_t end, Workspace& workspace) {
    if (!group.own) return text.classes() + begin;
    workspace.classes.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) workspace.classes[i - begin] = group.own->of(text.classes()[i]);
    return workspace.classes.data();
}

template <class Word>
void MyersGroups::run_lanes(const Group<Word>& group, const MyersKernel<Word>& kernel, std::size_t first_lane,
                            const ClassifiedText& text, std::size_t begin, std::size_t end, const std::uint32_t* k,
                            Workspace& workspace) const {
    using Distance = typename MyersTask<Word>::Distance;
    const std::size_t lanes = kernel.lanes, words = group.table.words;
    const std::size_t state = 2 * words * lanes, row = group.places ? words : 0;
    workspace.state.resize(std::max(workspace.state.size(), state + row));
    workspace.numbers.resize(std::max(workspace.numbers.size(), 3 * lanes));
    workspace.least.resize(lanes);
    auto* const length = reinterpret_cast<Distance*>(workspace.numbers.data());
    auto* const bound = length + lanes;
    auto* const least = bound + lanes;
    constexpr Distance nothing = std::numeric_limits<Distance>::min() / 2;
    constexpr std::uint32_t beyond_all = 1u << 30;  // above every distance, as texts are limited to text_bytes_max
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
                         .classes = text.ascii() ? nullptr : classes_of(group, text, begin, end, workspace),
                         .n = end - begin,
                         .extent = extent_,
                         .decide = k != nullptr,
                         .length = length,
                         .bound = bound,
                         .least = least,
                         .state = reinterpret_cast<Word*>(workspace.state.data())};
    const Word inside_listed = group.places ? static_cast<Word>(group.places->inside) : Word{0};
    if (group.places) {
        task.place_begin = group.places->begin.data();
        task.places = group.places->places.data();
        task.inside = &inside_listed;
        task.padding = static_cast<Word>(group.places->padding);
        task.row = task.state + state;
        std::fill_n(task.row, words, Word{0});
    }
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
            const auto scalar = g.places ? g.kernel : myers_kernel<Word>(InstructionSet::portable, Width::one);
            run_lanes(g, scalar, place.lane, text, begin, end, k, workspace);
        },
        groups_[place.group]);
    return workspace.least[0];
}

}  // namespace sluice::edits
