# Inner loops are compiled for several instruction sets, of which the best is chosen at run time.
# simd/instruction_set.cpp asks the processor for the same features.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(SLUICE_X86_KERNELS ON)
    set(SLUICE_AVX2 -mavx2 -mbmi2)
    set(SLUICE_AVX512 ${SLUICE_AVX2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2
                      -mavx512vpopcntdq -mprefer-vector-width=512)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # GCC warns of undefined operands in its own intrinsics (GCC bug 105593).
        list(APPEND SLUICE_AVX512 -Wno-maybe-uninitialized -Wno-uninitialized)
    endif()
endif()

# sluice_kernels(sluice_gpu kernels …): adds kernels_avx2.cpp, kernels_avx512.cpp, … to the library, each compiled for
# the instruction set in its name. The library's other sources see them if it is compiled with SLUICE_X86_KERNELS.
function(sluice_kernels library)
    if(NOT SLUICE_X86_KERNELS)
        return()
    endif()
    foreach(name IN LISTS ARGN)
        target_sources(${library} PRIVATE ${name}_avx2.cpp ${name}_avx512.cpp)
        foreach(set avx2 avx512)
            string(TOUPPER ${set} options)
            set_property(
                SOURCE ${name}_${set}.cpp TARGET_DIRECTORY ${library}
                APPEND PROPERTY COMPILE_OPTIONS ${SLUICE_${options}}
            )
        endforeach()
    endforeach()
endfunction()
