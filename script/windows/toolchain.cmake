# The Python module for 64-bit Windows from a Debian machine: with what cross_python.py made, in
# DMLINDEX_CROSS_PYTHON. CMake asks this machine's Python, of the same version, for the rest.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/x86_64-w64-mingw32.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR env)  # not wine: that Python runs as it is
set(CMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)  # so that building runs no unit test
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DMLINDEX_CROSS_PYTHON)
set(Python_INCLUDE_DIR ${DMLINDEX_CROSS_PYTHON}/include)
set(Python_LIBRARY ${DMLINDEX_CROSS_PYTHON}/lib/libpython311.dll.a)
string(APPEND CMAKE_MODULE_LINKER_FLAGS_INIT " -L${DMLINDEX_CROSS_PYTHON}/lib")
set(Python_NumPy_INCLUDE_DIR ${DMLINDEX_CROSS_PYTHON}/numpy)
set(PYTHON_MODULE_EXTENSION .cp311-win_amd64.pyd)  # pybind11's, which else asks that Python
