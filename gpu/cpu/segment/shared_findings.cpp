#include "gpu/cpu/segment/shared_findings.hpp"

#include <algorithm>

namespace sluice::cpu {

namespace {

// Evaluating a group this small costs less than remembering the result.
constexpr std::size_t small_values = 8, small_bytes = 256;
// Above facts_max, findings that the last batch did not use are dropped.
constexpr std::size_t facts_max = 1u << 16, facts_of_entry = 32;

std::size_t bytes_of(std::span<const engine::Value> values) {
    std::size_t bytes = 0;
    for (const engine::Value& value : values) bytes += value.text.size();
    return bytes;
}

bool is_small(std::span<const engine::Value> values) {
    return values.size() <= small_values && bytes_of(values) <= small_bytes;
}

// A rough estimate, for an optimised build.
double evaluation_ns(std::span<const engine::Value> values) {
    return 20 * static_cast<double>(values.size()) + static_cast<double>(bytes_of(values));
}

}  // namespace

void SharedFindings::begin(const engine::PredicateTables& tables, const engine::EventBatch& batch) {
    tables_ = &tables;
    batch_ = &batch;
    of_batch_.assign(batch.groups.size(), nullptr);
}

SharedFindings::Findings& SharedFindings::of(std::uint32_t group) {
    Findings*& known = of_batch_[group];
    if (known == nullptr) {
        const auto [at, is_new] = findings_.try_emplace({tables_->id(), batch_->groups[group].id});
        known = &at->second;
        known->used_in = batches_;
        if (is_new) facts_ += facts_of_entry;
    }
    return *known;
}

void SharedFindings::evaluate_group(std::uint32_t group, engine::EventState& state) {
    const std::span<const engine::Value> values = batch_->groups[group].values;
    if (is_small(values)) return tables_->evaluate(values, state);
    Findings& findings = of(group);
    if (!findings.is_evaluated) {
        if (batch_->pause) batch_->pause(evaluation_ns(values));
        findings.evaluated = tables_->evaluate_apart(values, state);
        facts_ += findings.evaluated.size();
        findings.is_evaluated = true;
    }
    tables_->add(findings.evaluated, state);
}

void SharedFindings::evaluate(std::size_t event, engine::EventState& state) {
    tables_->evaluate(batch_->event(event), state);
    for (const std::uint32_t group : batch_->groups_of(event)) evaluate_group(group, state);
}

const SharedFindings::Measured* SharedFindings::find(std::uint32_t group, std::uint32_t predicate) {
    const auto& measured = of(group).measured;
    const auto at = measured.find(predicate);
    return at == measured.end() ? nullptr : &at->second;
}

void SharedFindings::note(std::uint32_t group, std::uint32_t predicate, Measured measured) {
    facts_ += of(group).measured.insert_or_assign(predicate, measured).second ? 1u : 0u;
}

void SharedFindings::end_batch() {
    if (facts_ > facts_max) {
        facts_ = 0;
        std::erase_if(findings_, [this](const auto& entry) { return entry.second.used_in != batches_; });
        for (const auto& [key, findings] : findings_)
            facts_ += facts_of_entry + findings.evaluated.size() + findings.measured.size();
    }
    ++batches_;
}

}  // namespace sluice::cpu
