# 64-bit Windows from another Debian machine, its programs run by wine:
# apt-get install g++-mingw-w64-x86-64-posix wine64 directx-headers-dev libgtest-dev
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)  # for GoogleTest
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)  # so that programs and modules need no DLL of the compiler's
set(CMAKE_MODULE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR env WINEPREFIX=${CMAKE_BINARY_DIR}/wine WINEARCH=win64 WINEDEBUG=-all
    WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe,winedbg.exe= /usr/lib/wine/wine64)

# This machine's libraries and headers (oneTBB) are not Windows's...
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# ...but DirectX-Headers are for both. They need a folder without Linux's own beside them.
if(EXISTS /usr/include/directx/d3d12.h)
    set(DMLINDEX_DIRECTX_HEADERS ${CMAKE_BINARY_DIR}/directx-headers CACHE PATH "")
    file(MAKE_DIRECTORY ${DMLINDEX_DIRECTX_HEADERS})
    foreach(folder directx dxguids)
        file(CREATE_LINK /usr/include/${folder} ${DMLINDEX_DIRECTX_HEADERS}/${folder} SYMBOLIC)
    endforeach()
endif()
