#include "gpu/operators/approximate/myers_kernel.hpp"

namespace sluice::approximate {

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

#include "gpu/operators/approximate/myers_kernel_loops.hpp"

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

InstructionSet best_myers_instruction_set() {
    InstructionSet best = best_instruction_set();
#ifdef SLUICE_X86_KERNELS
    if (best == InstructionSet::avx512 && !__builtin_cpu_supports("avx512vbmi2")) best = InstructionSet::avx2;
#endif
    return best;
}

template <class Word>
MyersKernel<Word> myers_kernel([[maybe_unused]] InstructionSet set, Width width) {
#ifdef SLUICE_X86_KERNELS
    if (set == InstructionSet::avx512) return avx512::kernel<Word>(width);
    if (set == InstructionSet::avx2) return avx2::kernel<Word>(width);
#endif
    return portable::kernel<Word>(width);
}

template MyersKernel<std::uint32_t> myers_kernel<std::uint32_t>(InstructionSet, Width);
template MyersKernel<std::uint64_t> myers_kernel<std::uint64_t>(InstructionSet, Width);

}  // namespace sluice::approximate
