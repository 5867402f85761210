// Phase 1 on the device: the literals of the cheap families (existence, strings, prefixes, suffixes, substrings,
// numbers), and the kernel that evaluates all of them for a batch into masks. A literal is a number that includes its
// sign: a predicate and its negation are two literals with two masks. Literal 0 always holds, literal 1 never. A
// MaskTableBuilder belongs to one thread; MaskTables are immutable and may be used from any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "gpu/cuda/clusters/cluster_match.hpp"
#include "tests/bench/baselines/batch_view.hpp"

namespace sluice::bench {

using cuda::literal_false;
using cuda::literal_true;
using cuda::MaskView;

// How a literal is decided. All kinds are existential over the attribute's values, as in gpu/api/predicate.hpp; `range`
// is "some number >= lo and some number <= hi", which covers <, <=, > and >=.
enum class MaskKind : std::uint8_t {
    never,
    exists,
    range,
    number_equal,
    number_not_equal,
    equal,
    not_equal,
    starts_with,
    ends_with,
    contains,
};

// 16 bytes per literal. Ranges: the order keys (order_key.hpp) of the least accepted number, and of the greatest, plus
// 1; both ascend within a group, so only `from` belongs to the literal itself. Other numbers: the operand. Text: the
// hash (equal, not_equal) or the first (starts_with, contains) or last (ends_with) up to eight bytes, and the place of
// the operand's bytes.
union MaskOperand {
    static constexpr std::uint64_t out_of_reach = ~std::uint64_t{0};  // above all order keys

    struct {
        std::uint64_t from, behind;
    } range;
    double number;
    struct {
        std::uint64_t key;
        std::uint32_t offset, size;
    } text;
    std::uint32_t attribute;  // exists
};

// Literals of one kind and attribute that a block evaluates together (exists and never: of any attribute). Group g has
// operands and literals from index g * literals_max on.
struct MaskGroup {
    static constexpr std::uint32_t literals_max = 128;

    std::uint32_t count = 0;
    std::uint32_t attribute = 0;
    MaskKind kind = MaskKind::never;
};

struct MaskTablesView {
    static constexpr std::uint32_t negated_flag = 0x80000000u;

    const MaskGroup* groups = nullptr;
    std::uint32_t group_count = 0;
    const MaskOperand* operands = nullptr;
    const std::uint32_t* literals = nullptr;  // literal number | negated_flag, as operands
    const std::uint8_t* places = nullptr;     // ranges: the place of its `behind`, as operands
    const char* bytes = nullptr;
};

class MaskTableBuilder {
public:
    MaskTableBuilder();

    // Both return the new literal's number; numbers are dense and ascending. Equal literals are not recognised: that is
    // up to the caller. The operator must not be `scanned`. Literals of one attribute and kind are written to the masks
    // together, so add them together if it is easy.
    std::uint32_t add(std::uint32_t attribute, const engine::Predicate& predicate, bool negated = false);
    std::uint32_t add_range(std::uint32_t attribute, double lo, double hi, bool negated = false);
    std::uint32_t add_exists(std::uint32_t attribute, bool negated = false);

    std::uint32_t literals() const { return static_cast<std::uint32_t>(drafts_.size()); }

private:
    friend class MaskTables;
    struct Draft {
        std::uint32_t attribute;
        MaskKind kind;
        bool negated;
        MaskOperand operand;
    };
    std::uint32_t push(std::uint32_t attribute, MaskKind kind, MaskOperand operand, bool negated);
    MaskOperand text_operand(MaskKind kind, std::string_view text);

    std::vector<Draft> drafts_;
    std::string bytes_;
};

class MaskTables {
public:
    MaskTables() = default;
    explicit MaskTables(const MaskTableBuilder& builder);  // throws CudaError

    std::uint32_t literals() const { return literals_; }
    std::uint32_t stride() const { return (literals_ + 31) / 32 * 32; }
    std::size_t mask_words(std::size_t batch_words) const { return batch_words * stride(); }
    MaskTablesView view() const;
    std::size_t bytes() const {
        return groups_.bytes() + operands_.bytes() + numbers_.bytes() + places_.bytes() + text_.bytes();
    }

private:
    std::uint32_t literals_ = 0;
    cuda::DeviceBuffer<MaskGroup> groups_;
    cuda::DeviceBuffer<MaskOperand> operands_;
    cuda::DeviceBuffer<std::uint32_t> numbers_;
    cuda::DeviceBuffer<std::uint8_t> places_;
    cuda::DeviceBuffer<char> text_;
};

// Enqueues the evaluation of all literals for the batch's words. `masks` has room for batch.words * tables.stride()
// words. `reset`, if not null, is set to 0 (a HitList's count). `overlap`: on Hopper and later the kernel may run while
// the previous batch is still being matched. Then match_clusters for that batch must be the last work in the stream,
// the two batches must not use the same memory for masks (every other batch may), and this batch must have been
// complete before that match began.
void evaluate_masks(const MaskTables& tables, const BatchView& batch, MaskView masks, std::uint32_t* reset,
                    cudaStream_t stream, bool overlap = false);

}  // namespace sluice::bench
