# Decides whether the CUDA backend is built, and how nvcc is called. SLUICE_CUDA is ON, OFF or AUTO. AUTO builds it if
# nvcc is found and the machine has a GPU, or if the environment variable SLUICE_CUDA is "on" (GPU or not), but never in
# sanitized and fuzzing builds, whose tests run without a device. Sets SLUICE_WITH_CUDA to true or false.
set(SLUICE_CUDA AUTO CACHE STRING "Build the CUDA backend (CUDA toolkit): ON, OFF or AUTO (if there are nvcc and a GPU)")
find_program(SLUICE_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin)
mark_as_advanced(SLUICE_NVCC)
set(SLUICE_WITH_CUDA ${SLUICE_CUDA})
if(SLUICE_CUDA STREQUAL AUTO)
    set(SLUICE_WITH_CUDA OFF)
    if(SLUICE_SANITIZE OR SLUICE_FUZZ)
        # never
    elseif(DEFINED ENV{SLUICE_CUDA})
        set(SLUICE_WITH_CUDA $ENV{SLUICE_CUDA})
    elseif(SLUICE_NVCC AND (EXISTS /dev/nvidiactl OR EXISTS /dev/dxg))  # the latter in WSL
        set(SLUICE_WITH_CUDA ON)
    endif()
endif()

if(SLUICE_WITH_CUDA)
    if(SLUICE_NVCC AND NOT CMAKE_CUDA_COMPILER)
        set(CMAKE_CUDA_COMPILER ${SLUICE_NVCC})
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        # Machine code for Hopper, including its own instructions; other chips from Ampere on compile the rest when the
        # program first starts.
        set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90a-real)
    endif()
    # 90a runs wherever 90 runs, and has all of Hopper's instructions.
    list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^90(-real)?$" "90a-real")
    foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
        if(architecture MATCHES "^all" OR (architecture MATCHES "^([0-9]+)" AND CMAKE_MATCH_1 LESS 80))
            message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES has ${architecture}: the kernels need 80 (Ampere) or later")
        endif()
    endforeach()
    if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
        set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # one binary for machines with and without a driver
    # CMake 3.25 does not know nvcc's option for C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA_STANDARD 20)
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-O3;--extra-device-vectorization;-lineinfo>")
    if(SLUICE_WERROR)
        add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Wno-restrict>")
    endif()
endif()
