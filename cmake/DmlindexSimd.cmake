# The flags of the files that hold one ISA's kernels, cpp/cpu/kernels/ISA*.cpp; on other architectures the
# files are left out. cpp/cpu/kernels/dispatch.cpp asks the CPU before it calls into one, and sees by
# DMLINDEX_HAS_ISA which of them were built.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(isas avx2 avx512)
    # avx512 has arithmetic on float16 where the CPU does, from GCC 12 and its assembler on: clang's way of
    # NaNs takes other code.
    include(CheckCXXSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state()
    set(CMAKE_REQUIRED_FLAGS -mavx512fp16)
    check_cxx_source_compiles("#ifdef __clang__
                               #error
                               #endif
                               int main() { asm(\"vaddph %xmm0, %xmm0, %xmm0\"); }"
                              DMLINDEX_COMPILES_AVX512FP16)
    cmake_pop_check_state()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(isas neon)
endif()
set(DMLINDEX_ISAS "${isas}" CACHE STRING "The instruction sets that there are kernels for beside the scalar ones")

# clang-cl takes these, too.
set(DMLINDEX_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -mlzcnt -mf16c)
set(DMLINDEX_FLAGS_avx512 ${DMLINDEX_FLAGS_avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq
                          -mavx512vl -mavx512vbmi)
set(DMLINDEX_FLAGS_avx512fp16 ${DMLINDEX_FLAGS_avx2} -mavx512fp16)

function(dmlindex_set_simd_flags target sources)
    foreach(source IN LISTS sources)
        if(NOT source MATCHES "/cpp/cpu/kernels/(avx2|avx512fp16|avx512|neon)[^/]*\\.cpp$")
            continue()
        endif()
        set(isa ${CMAKE_MATCH_1})
        if(isa IN_LIST DMLINDEX_ISAS OR
           (isa STREQUAL avx512fp16 AND avx512 IN_LIST DMLINDEX_ISAS AND DMLINDEX_COMPILES_AVX512FP16))
            set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                        PROPERTIES COMPILE_OPTIONS "${DMLINDEX_FLAGS_${isa}}")
            string(TOUPPER ${isa} name)
            target_compile_definitions(${target} PRIVATE DMLINDEX_HAS_${name})
        else()
            set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                        PROPERTIES HEADER_FILE_ONLY ON)
        endif()
    endforeach()
endfunction()
