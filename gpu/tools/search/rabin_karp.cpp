#include "gpu/tools/search/rabin_karp.hpp"

#include <algorithm>
#include <atomic>

#include "gpu/simd/on_threads.hpp"

namespace sluice::substrings {

namespace {

// The remainder of a number below 2^62 (Barrett 1986): a multiplication takes the place of the division.
class Modulo {
public:
    explicit Modulo(std::uint32_t q) : q_(q), inverse_(~std::uint64_t{0} / q) {}

    std::uint32_t operator()(std::uint64_t x) const {
        __extension__ using Wide = unsigned __int128;
        const auto quotient = static_cast<std::uint64_t>((Wide{x} * inverse_) >> 64);  // or one less
        const std::uint64_t rest = x - quotient * q_;
        return static_cast<std::uint32_t>(rest >= q_ ? rest - q_ : rest);
    }

private:
    std::uint64_t q_, inverse_;
};

}  // namespace

std::string RabinKarp::refusal(std::span<const Pattern> patterns, const RabinKarpParameters& parameters) {
    if (std::string reason = substrings::refusal(patterns); !reason.empty()) return reason;
    if (patterns.size() < parameters.modulus) return {};
    return "the number of patterns, " + std::to_string(patterns.size()) + ", is not less than the modulus " +
           std::to_string(parameters.modulus);
}

RabinKarp::RabinKarp(std::span<const Pattern> patterns, const RabinKarpParameters& parameters)
    : parameters_(parameters), pool_(patterns), table_(parameters.modulus, none) {
    std::uint64_t power = 1;
    for (std::uint32_t i = 0; i + 1 < parameters_.modulus; ++i, power = power * parameters_.base % parameters_.modulus)
        powers_.push_back(static_cast<std::uint32_t>(power));
    for (std::uint32_t p = 0; p < pool_.size(); ++p) {
        if (pool_.text(p).empty()) continue;
        std::uint32_t slot = hash(pool_.text(p));
        while (table_[slot] != none) slot = (slot + 1) % parameters_.modulus;
        table_[slot] = p;
        lengths_.push_back(static_cast<std::uint32_t>(pool_.text(p).size()));
    }
    std::sort(lengths_.begin(), lengths_.end());
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
}

// By Fermat's little theorem.
std::uint32_t RabinKarp::place_of_power(std::int64_t exponent) const {
    const auto order = static_cast<std::int64_t>(parameters_.modulus) - 1;
    return static_cast<std::uint32_t>((exponent % order + order) % order);
}

std::uint32_t RabinKarp::power(std::int64_t exponent) const { return powers_[place_of_power(exponent)]; }

std::uint32_t RabinKarp::hash(std::string_view text) const {
    std::uint64_t h = 0;
    for (const char c : text) h = (h * parameters_.base + static_cast<unsigned char>(c)) % parameters_.modulus;
    return static_cast<std::uint32_t>(h);
}

std::vector<std::uint32_t> RabinKarp::prefix_sums(std::string_view text) const {
    const std::size_t parts = part_count(text.size(), parameters_.threads), size = text.size();
    const std::uint32_t q = parameters_.modulus;
    std::vector<std::uint32_t> sums(size);
    const auto add = [q](std::uint32_t a, std::uint32_t b) { return a + b >= q ? a + b - q : a + b; };
    simd::run_tasks(parts, parts, {}, [&](std::size_t part, const std::atomic<bool>&) {
        const std::size_t begin = size * part / parts, end = size * (part + 1) / parts;
        const Modulo modulo(q);
        std::uint32_t sum = 0, place = place_of_power(static_cast<std::int64_t>(size - begin) - 1);
        for (std::size_t i = begin; i < end; ++i) {
            sum = add(sum, modulo(std::uint64_t{powers_[place]} * static_cast<unsigned char>(text[i])));
            sums[i] = sum;
            place = place == 0 ? q - 2 : place - 1;
        }
    });
    // The last sum of a part is its total. The sums of a part lack the totals of all previous parts.
    std::vector<std::uint32_t> before(parts, 0);
    for (std::size_t part = 1; part < parts; ++part)
        before[part] = add(before[part - 1], sums[size * part / parts - 1]);
    simd::run_tasks(parts, parts, {}, [&](std::size_t part, const std::atomic<bool>&) {
        if (before[part] == 0) return;
        for (std::size_t i = size * part / parts; i < size * (part + 1) / parts; ++i)
            sums[i] = add(sums[i], before[part]);
    });
    return sums;
}

std::uint32_t RabinKarp::place_of_factor(std::size_t text_size, std::size_t begin, std::size_t length) const {
    return place_of_power(static_cast<std::int64_t>(length + begin) - static_cast<std::int64_t>(text_size));
}

std::uint32_t RabinKarp::window_hash(std::span<const std::uint32_t> sums, std::size_t begin, std::size_t length) const {
    return window_hash(sums, begin, length, powers_[place_of_factor(sums.size(), begin, length)]);
}

std::uint32_t RabinKarp::window_hash(std::span<const std::uint32_t> sums, std::size_t begin, std::size_t length,
                                     std::uint32_t factor) const {
    const std::uint32_t before = begin == 0 ? 0 : sums[begin - 1], last = sums[begin + length - 1];
    const std::uint32_t difference = last >= before ? last - before : last + (parameters_.modulus - before);
    return Modulo(parameters_.modulus)(std::uint64_t{difference} * factor);
}

void RabinKarp::look_up(std::string_view text, std::span<const std::uint32_t> sums, std::size_t begin, std::size_t end,
                        PartOccurrences& found, Counters& counters) const {
    // The places of the lengths' factors among the powers: each is the next one at the next place of the text.
    std::vector<std::uint32_t> factors;
    for (const std::uint32_t length : lengths_) factors.push_back(place_of_factor(text.size(), begin, length));
    for (std::size_t at = begin; at < end && !found.overflow; ++at) {
        for (std::size_t l = 0; l < lengths_.size(); ++l) {
            const std::uint32_t length = lengths_[l];
            if (at + length > text.size()) break;
            std::uint32_t slot = window_hash(sums, at, length, powers_[factors[l]]);
            factors[l] = factors[l] + 1 == powers_.size() ? 0 : factors[l] + 1;
            counters.filter_hits += table_[slot] != none;
            for (; table_[slot] != none; slot = (slot + 1) % parameters_.modulus) {
                const std::string_view pattern = pool_.text(table_[slot]);
                if (pattern.size() != length) continue;
                ++counters.verified;
                if (text.substr(at, length) == pattern) found.add(table_[slot], at);
            }
        }
    }
}

std::vector<PartOccurrences> RabinKarp::occurrences(std::string_view text, std::size_t begins, std::size_t most,
                                                    Counters& counters) const {
    const std::vector<std::uint32_t> sums = prefix_sums(text);
    const std::size_t parts = part_count(begins, parameters_.threads);
    std::vector<PartOccurrences> found(parts);
    std::vector<Counters> counted(parts);
    simd::run_tasks(parts, parts, {}, [&](std::size_t part, const std::atomic<bool>&) {
        found[part].begins = begins;
        found[part].most = most == 0 ? 0 : std::max<std::size_t>(most / parts, 1);
        look_up(text, sums, begins * part / parts, begins * (part + 1) / parts, found[part], counted[part]);
    });
    for (const Counters& part : counted) counters += part;
    return found;
}

}  // namespace sluice::substrings
