if(MSVC AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "dmlindex: Microsoft's cl lacks the vector types that the kernels are written with: take "
                        "clang-cl, which Visual Studio brings (-T ClangCL, or CXX=clang-cl)")
endif()

# How every target of the project is compiled.
function(dmlindex_target_options target)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
    if(WIN32)
        target_compile_definitions(${target} PRIVATE NOMINMAX)  # windows.h: no macros named min and max
    endif()
    if(MSVC)
        target_compile_options(${target} PRIVATE /fp:precise /utf-8 /permissive- /Zc:__cplusplus -ffp-contract=off)
    else()
        # Reductions are bit for bit the same on every ISA: no a·b + c in one rounding.
        target_compile_options(${target} PRIVATE -ffp-contract=off)
    endif()

    if(DMLINDEX_STRICT)
        if(NOT DMLINDEX_SANITIZE)  # GCC takes the checks that these add for ways that numbers may take
            set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
        endif()
        if(MSVC)
            target_compile_options(${target} PRIVATE /W4)
        else()
            target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                     -Wnon-virtual-dtor -Wold-style-cast)
        endif()
    endif()

    if(DMLINDEX_SANITIZE)
        # With the assertions of our own code and of the standard library's. The last -O and -g win: AVX2's kernels alone
        # take GCC seven minutes with -O3, four with -O1 and -g, and three with what is enough for lines in reports.
        target_compile_options(${target} PRIVATE -fsanitize=${DMLINDEX_SANITIZE} -UNDEBUG -O1 -g1
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND DMLINDEX_SANITIZE MATCHES "address")
            # Functions that touch memory in many places call the checks: two thirds of the time again.
            target_compile_options(${target} PRIVATE --param=asan-instrumentation-with-call-threshold=100)
        endif()
        target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
        target_link_options(${target} PUBLIC -fsanitize=${DMLINDEX_SANITIZE})
    endif()
endfunction()
