#include "tests/support/exact_workload.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace sluice::substrings {

namespace {

// Frequencies of a to z in English prose, per thousand letters.
constexpr double letter_weights[] = {82, 15, 28, 43, 127, 22, 20, 61, 70, 2,  8, 40, 24,
                                     67, 75, 19, 1,  60,  63, 91, 28, 10, 24, 2, 20, 1};

class English {
public:
    English() {
        std::mt19937_64 random(7);  // the language is the same for every text
        std::discrete_distribution<int> letter(std::begin(letter_weights), std::end(letter_weights));
        for (std::size_t w = 0; w < 20'000; ++w) {
            std::string word;
            const std::size_t length = w < 100 ? 1 + random() % 4 : 3 + random() % 9;
            for (std::size_t i = 0; i < length; ++i) word += static_cast<char>('a' + letter(random));
            words_.push_back(word);
            weights_below_.push_back((w == 0 ? 0 : weights_below_.back()) + 1.0 / static_cast<double>(w + 1));
        }
    }

    std::string text(std::size_t bytes, std::mt19937_64& random) const {
        std::string text;
        std::uniform_real_distribution<double> weight(0, weights_below_.back());
        while (text.size() < bytes) {
            const auto at = std::upper_bound(weights_below_.begin(), weights_below_.end(), weight(random));
            text +=
                words_[std::min<std::size_t>(static_cast<std::size_t>(at - weights_below_.begin()), words_.size() - 1)];
            text += random() % 12 == 0 ? ". " : " ";
        }
        text.resize(bytes);
        return text;
    }

private:
    std::vector<std::string> words_;
    std::vector<double> weights_below_;  // the sums of the weights up to each word
};

std::string make_text(Alphabet alphabet, std::size_t bytes, std::mt19937_64& random) {
    if (alphabet == Alphabet::english) {
        static const English english;
        return english.text(bytes, random);
    }
    const std::string_view symbols = alphabet == Alphabet::binary ? "01"
                                     : alphabet == Alphabet::dna  ? "ACGT"
                                                                  : "abcdefghijklmnopqrstuvwxyz";
    std::string text(bytes, '\0');
    for (char& c : text) c = symbols[(static_cast<std::uint32_t>(random()) * std::uint64_t{symbols.size()}) >> 32];
    return text;
}

}  // namespace

const char* name_of(Alphabet alphabet) {
    static constexpr const char* names[] = {"binary", "dna", "a-z", "english"};
    return names[static_cast<int>(alphabet)];
}

std::string make_text(Alphabet alphabet, std::size_t bytes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return make_text(alphabet, bytes, random);
}

std::vector<std::string> make_patterns(Alphabet alphabet, std::string_view text, std::size_t count,
                                       std::size_t shortest, std::size_t longest, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::unordered_set<std::string> distinct;
    std::vector<std::string> patterns;
    while (patterns.size() < count) {
        const std::size_t length = shortest + random() % (longest - shortest + 1);
        std::string pattern = patterns.size() % 2 == 0
                                  ? std::string(text.substr(random() % (text.size() - length), length))
                                  : make_text(alphabet, length, random);
        if (distinct.insert(pattern).second) patterns.push_back(std::move(pattern));
    }
    return patterns;
}

}  // namespace sluice::substrings
