#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

namespace portable {

template <class T>
struct Lanes {
    using Word = T;
    using Vector = T;
    using Signed = std::make_signed_t<T>;
    static constexpr std::size_t lanes = 1;

    static Vector load(const void* from) { return *static_cast<const T*>(from); }
    static void store(void* to, Vector a) { *static_cast<T*>(to) = a; }
    static Vector all(T a) { return a; }
    static Vector both(Vector a, Vector b) { return a & b; }
    static Vector either(Vector a, Vector b) { return a | b; }
    static Vector sum(Vector a, Vector b) { return a + b; }
    static Vector difference(Vector a, Vector b) { return a - b; }
    static Vector doubled(Vector a) { return a << 1; }
    static Vector highest_bit(Vector a) { return a >> (8 * sizeof(T) - 1); }
    static Vector shifted_in(Vector a, Vector below) { return doubled(a) | highest_bit(below); }
    static Vector xor_or(Vector a, Vector b, Vector c) { return (a ^ b) | c; }
    static Vector or_nor(Vector a, Vector b, Vector c) { return a | ~(b | c); }
    static Vector ones(Vector a) { return static_cast<T>(__builtin_popcountll(a)); }
    static bool not_greater(Vector a, Vector b) { return static_cast<Signed>(a) <= static_cast<Signed>(b); }
    static Vector lesser(Vector a, Vector b) { return not_greater(a, b) ? a : b; }
    static Vector where(bool condition, Vector a, Vector b) { return condition ? a : b; }
    static bool any_not_greater(Vector a, Vector b) { return not_greater(a, b); }
    static bool none_greater(Vector a, Vector b) { return not_greater(a, b); }
};

#include "gpu/operators/edits/myers_kernel_loops.hpp"

// Builds a character's row in place of the previous one.
class GatheredRows {
public:
    explicit GatheredRows(const MyersTask<std::uint64_t>& task) : task_(task) {}

    const std::uint64_t* of(std::size_t c) {
        for (const std::uint32_t* p = begin_; p != end_; ++p) task_.row[*p / 64] = 0;
        begin_ = task_.places + task_.place_begin[c];
        end_ = task_.places + task_.place_begin[c + 1];
        task_.row[0] = task_.padding;
        for (const std::uint32_t* p = begin_; p != end_; ++p) task_.row[*p / 64] |= std::uint64_t{1} << *p % 64;
        return task_.row;
    }

private:
    const MyersTask<std::uint64_t>& task_;
    const std::uint32_t* begin_ = nullptr;
    const std::uint32_t* end_ = nullptr;
};

void gather(MyersTask<std::uint64_t>& task) {
    if (task.bytes != nullptr)
        match_words<Lanes<std::uint64_t>, 1, GatheredRows>(task, task.bytes);
    else
        match_words<Lanes<std::uint64_t>, 1, GatheredRows>(task, task.classes);
}

MyersKernel<std::uint64_t> gathering_kernel() { return {1, gather}; }

}  // namespace portable

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
template <class Word>
MyersKernel<Word> kernel(Width width);
}
namespace avx512 {
template <class Word>
MyersKernel<Word> kernel(Width width);
}
#endif

template <class Word>
MyersKernel<Word> myers_kernel(InstructionSet set, Width width) {
    return SLUICE_KERNEL(set, kernel<Word>(width));
}

MyersKernel<std::uint64_t> gathering_kernel() { return portable::gathering_kernel(); }

template MyersKernel<std::uint32_t> myers_kernel<std::uint32_t>(InstructionSet, Width);
template MyersKernel<std::uint64_t> myers_kernel<std::uint64_t>(InstructionSet, Width);

}  // namespace sluice::edits
