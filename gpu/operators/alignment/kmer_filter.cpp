#include "gpu/operators/alignment/kmer_filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::alignment {

namespace {

constexpr std::size_t nucleotides = 4;
constexpr std::size_t k_least = 4, k_most = 10;
// The fewest pairs of a text worth filtering; with fewer, counting costs as much as aligning.
constexpr std::size_t pairs_min = 8;

std::size_t kmers_of(std::size_t k) { return std::size_t{1} << (2 * k); }

// Calls work(number of the k-mer, index of its last letter) for every k known nucleotides in a row.
template <class Work>
void for_kmers(Codes codes, std::size_t k, Work work) {
    const std::uint32_t mask = static_cast<std::uint32_t>(kmers_of(k) - 1);
    std::uint32_t kmer = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        kmer = (kmer << 2 | (codes[i] & 3u)) & mask;
        known = codes[i] < nucleotides ? known + 1 : 0;
        if (known >= k) work(kmer, i);
    }
}

// Whether random texts as long as the query would be skipped: the expected number of shared places, plus five standard
// deviations (overlapping places are not independent), is too low.
bool skips_random_texts(const Scheme& scheme, std::size_t k, std::size_t length, std::int32_t threshold) {
    if (threshold == std::numeric_limits<std::int32_t>::min() || length < k) return false;
    const double places = static_cast<double>(length - k + 1);
    const double share = 1 - std::exp(-places / static_cast<double>(kmers_of(k)));
    const double expected = places * share + 5 * std::sqrt(places * share * (1 - share) * 2);
    return static_cast<double>(shared_least(scheme, k, length, threshold)) > expected;
}

// The k that serves the most queries. Among equals, the longest k whose table is no larger than the queries, since
// longer k-mers have fewer queries each. 0: no k helps more than a tenth of the queries.
std::size_t best_k(const Scheme& scheme, const SequenceSet& queries, std::span<const std::int32_t> thresholds) {
    std::size_t best = 0, most = queries.size() / 10;
    for (std::size_t k = k_least; k <= k_most; ++k) {
        std::size_t served = 0;
        for (std::size_t q = 0; q < queries.size(); ++q)
            served += skips_random_texts(scheme, k, queries.length(q), thresholds[q]);
        const bool small = kmers_of(k) <= std::max(queries.codes().size(), kmers_of(6));
        if (served > most || (served == most && best != 0 && small)) best = k, most = served;
    }
    return best;
}

}  // namespace

std::int64_t shared_least(const Scheme& scheme, std::size_t k, std::size_t shorter, std::int32_t threshold) {
    if (scheme.alphabet != Scheme::Alphabet::dna || threshold <= 0 || k == 0) return 0;
    const double match = scheme.highest, mismatch = -scheme.lowest, gap = scheme.gap_first;
    const double spare = match * static_cast<double>(shorter) - threshold;
    if (spare < 0) return std::numeric_limits<std::int64_t>::max();
    const double most_mismatches = spare / (match + mismatch), most_gaps = spare / gap;
    const auto places = [&](double mismatches, double gaps) {
        return (threshold + mismatch * mismatches + gap * gaps) / match -
               (mismatches + gaps + 1) * static_cast<double>(k - 1);
    };
    const double least = std::min({places(0, 0), places(most_mismatches, 0), places(0, most_gaps)});
    constexpr double rounding = 1e-6;
    return static_cast<std::int64_t>(std::ceil(least - rounding));
}

std::optional<KmerFilter> KmerFilter::make(const Scheme& scheme, const SequenceSet& queries,
                                           std::span<const std::int32_t> thresholds, std::size_t letters_most) {
    if (scheme.alphabet != Scheme::Alphabet::dna || queries.size() < pairs_min) return std::nullopt;
    if (queries.codes().size() > letters_most) return std::nullopt;
    const std::size_t k = best_k(scheme, queries, thresholds);
    if (k == 0) return std::nullopt;
    return KmerFilter(scheme, queries, k);
}

KmerFilter::KmerFilter(const Scheme& scheme, const SequenceSet& queries, std::size_t k)
    : scheme_(scheme), k_(k), first_(kmers_of(k) + 1) {
    constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> latest(kmers_of(k), nobody);
    const auto for_holders = [&](auto work) {
        std::fill(latest.begin(), latest.end(), nobody);
        for (std::uint32_t q = 0; q < queries.size(); ++q) {
            for_kmers(queries[q], k, [&](std::uint32_t kmer, std::size_t) {
                if (latest[kmer] != q) work(kmer, q);
                latest[kmer] = q;
            });
        }
    };
    for_holders([&](std::uint32_t kmer, std::uint32_t) { ++first_[kmer + 1]; });
    for (std::size_t kmer = 0; kmer < kmers_of(k); ++kmer) first_[kmer + 1] += first_[kmer];
    holders_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for_holders([&](std::uint32_t kmer, std::uint32_t q) { holders_[next[kmer]++] = q; });
    for (std::size_t q = 0; q < queries.size(); ++q) lengths_.push_back(static_cast<std::uint32_t>(queries.length(q)));
}

void KmerFilter::count(Codes text, std::vector<std::uint32_t>& shared) const {
    shared.assign(lengths_.size(), 0);
    for_kmers(text, k_, [&](std::uint32_t kmer, std::size_t) {
        for (std::uint32_t i = first_[kmer]; i < first_[kmer + 1]; ++i) ++shared[holders_[i]];
    });
}

void KmerFilter::skip(const SequenceSet& texts, std::span<const Pair> pairs, std::span<const std::int32_t> thresholds,
                      std::span<std::uint8_t> possible) const {
    std::vector<std::uint32_t> shared;
    for (std::size_t first = 0, end = 0; first < pairs.size(); first = end) {
        const std::uint32_t text = pairs[first].text;
        while (end < pairs.size() && pairs[end].text == text) ++end;
        if (end - first < pairs_min) continue;
        count(texts[text], shared);
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t query = pairs[i].query;
            const std::size_t shorter = std::min<std::size_t>(lengths_[query], texts.length(text));
            if (shared[query] < shared_least(scheme_, k_, shorter, thresholds[i])) possible[i] = 0;
        }
    }
}

}  // namespace sluice::alignment
