# Threads: the standard library's, or oneTBB's, where that is: pip's tbb-devel in a pip build, or a
# system package.
find_package(Threads REQUIRED)
target_link_libraries(dmlindex_core PRIVATE Threads::Threads)
find_package(TBB CONFIG QUIET)
if(NOT TBB_FOUND)
    message(STATUS "dmlindex: no oneTBB found, so the threads are the standard library's "
                   "(pip install tbb-devel, or apt-get install libtbb-dev)")
    return()
endif()
message(STATUS "dmlindex: threads with oneTBB ${TBB_VERSION}")
# A debug build takes the release library too: only that one is there at run time.
set_target_properties(TBB::tbb PROPERTIES MAP_IMPORTED_CONFIG_DEBUG Release)

if(DMLINDEX_SANITIZE MATCHES thread)
    # oneTBB's templates and libtbb hand tasks to each other in ways that ThreadSanitizer cannot see, as
    # libtbb is not built with it; the file that compiles them says what order there is.
    set_source_files_properties(
        cpp/parallel/one_tbb.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=thread
                                            COMPILE_DEFINITIONS DMLINDEX_SANITIZE_THREAD)
endif()

# With Python a module of its own beside _core, loaded at run time, so that the package also works where pip's libtbb is
# missing; without, a part of dmlindex_core. Nothing else is compiled in another way where there is oneTBB.
if(DMLINDEX_PYTHON)
    add_library(dmlindex_one_tbb MODULE cpp/parallel/one_tbb.cpp)
    # Where pip puts libtbb, seen from PREFIX/lib/pythonX.Y/site-packages/dmlindex (or lib64).
    set_target_properties(dmlindex_one_tbb PROPERTIES PREFIX "" OUTPUT_NAME _one_tbb
                          INSTALL_RPATH "$ORIGIN/../../..;$ORIGIN/../../../../lib")
    install(TARGETS dmlindex_one_tbb LIBRARY DESTINATION dmlindex COMPONENT python)
    set(definition DMLINDEX_TBB_MODULE="$<TARGET_FILE_NAME:dmlindex_one_tbb>")
    target_link_libraries(dmlindex_core PRIVATE ${CMAKE_DL_LIBS})
else()
    add_library(dmlindex_one_tbb OBJECT cpp/parallel/one_tbb.cpp)
    set_target_properties(dmlindex_one_tbb PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set(definition DMLINDEX_HAS_TBB)
    target_sources(dmlindex_core PRIVATE $<TARGET_OBJECTS:dmlindex_one_tbb>)
    target_link_libraries(dmlindex_core PRIVATE $<LINK_ONLY:TBB::tbb>)
endif()
dmlindex_target_options(dmlindex_one_tbb)
target_compile_features(dmlindex_one_tbb PRIVATE cxx_std_20)
target_include_directories(dmlindex_one_tbb PRIVATE include cpp)
target_link_libraries(dmlindex_one_tbb PRIVATE TBB::tbb)
set_source_files_properties(cpp/parallel/parallel.cpp PROPERTIES COMPILE_DEFINITIONS "${definition}")
