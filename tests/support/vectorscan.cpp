#include "tests/support/vectorscan.hpp"

#include <hs/hs.h>
#include <vector>

#include "gpu/tools/search/pattern_pool.hpp"

namespace sluice::substrings {

namespace {

class VectorscanSearcher : public Searcher {
public:
    explicit VectorscanSearcher(std::span<const Pattern> patterns) : pool_(patterns) {
        std::vector<const char*> texts;
        std::vector<std::size_t> lengths;
        std::vector<unsigned> flags, ids;
        for (std::uint32_t p = 0; p < pool_.size(); ++p) {
            if (pool_.text(p).empty()) {
                empty_.push_back(p);
                continue;
            }
            texts.push_back(pool_.text(p).data());
            lengths.push_back(pool_.text(p).size());
            ids.push_back(p);
            flags.push_back(HS_FLAG_SINGLEMATCH);
        }
        if (texts.empty()) return;
        hs_compile_error_t* error = nullptr;
        hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(),
                             static_cast<unsigned>(texts.size()), HS_MODE_BLOCK, nullptr, &database_, &error);
        hs_free_compile_error(error);
        if (database_ != nullptr) hs_alloc_scratch(database_, &scratch_);
        compiled_ = database_ != nullptr;
    }
    ~VectorscanSearcher() override {
        hs_free_scratch(scratch_);
        hs_free_database(database_);
    }

    bool compiled() const { return compiled_; }

    // One thread at a time: there is only one scratch space.
    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), pool_.size());
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (const std::uint32_t p : empty_) results.add(t, p);
            Scan scan{&results, t};
            if (database_ != nullptr)
                hs_scan(database_, texts[t].data(), static_cast<unsigned>(texts[t].size()), 0, scratch_, report, &scan);
            results.counters += {1, texts[t].size(), 0, 0, 0};
        }
    }

private:
    struct Scan {
        Results* results;
        std::uint32_t text;
    };

    static int report(unsigned pattern, unsigned long long, unsigned long long, unsigned, void* context) {
        const Scan& scan = *static_cast<Scan*>(context);
        if (!scan.results->found(scan.text, pattern)) scan.results->add(scan.text, pattern);
        return 0;
    }

    PatternPool pool_;
    std::vector<std::uint32_t> empty_;
    hs_database_t* database_ = nullptr;
    hs_scratch_t* scratch_ = nullptr;
    bool compiled_ = true;
};

}  // namespace

std::unique_ptr<Searcher> make_vectorscan_searcher(std::span<const Pattern> patterns) {
    auto searcher = std::make_unique<VectorscanSearcher>(patterns);
    if (!searcher->compiled()) return nullptr;
    return searcher;
}

}  // namespace sluice::substrings
