# D3D12, where its headers are; the libraries themselves are loaded at run time, by the host's loader.
option(DMLINDEX_D3D12 "Build the D3D12 backend, where DirectX-Headers are found" ON)
if(WIN32)
    set(host windows)
elseif(EXISTS /usr/lib/wsl/lib/libd3d12.so)
    set(host wsl)
else()
    set(host vkd3d)
endif()
set(DMLINDEX_D3D12_HOST ${host} CACHE STRING "Whose D3D12 is loaded: windows, wsl or vkd3d")
set_property(CACHE DMLINDEX_D3D12_HOST PROPERTY STRINGS windows wsl vkd3d)
# Also where .github/workflows/wheels.yml checks DirectX-Headers out: not all systems have a package.
find_path(DMLINDEX_DIRECTX_HEADERS directx/d3d12.h HINTS ${PROJECT_SOURCE_DIR}/DirectX-Headers/include
          DOC "The folder that holds directx/d3d12.h")

set(DMLINDEX_HAS_D3D12 OFF)
if(NOT DMLINDEX_D3D12)
    message(STATUS "dmlindex: D3D12 is LEFT OUT, as DMLINDEX_D3D12 is OFF; the CPU path is whole")
    return()
elseif(NOT DMLINDEX_DIRECTX_HEADERS)
    message(STATUS "dmlindex: D3D12 is LEFT OUT, as DirectX-Headers was not found "
                   "(apt-get install directx-headers-dev); the CPU path is whole")
    return()
endif()
set(DMLINDEX_HAS_D3D12 ON)
message(STATUS "dmlindex: D3D12 (${DMLINDEX_D3D12_HOST}) with the DirectX-Headers in "
               "${DMLINDEX_DIRECTX_HEADERS}")

# dmlindex_d3d12_sources(HOST): the backend's sources as they are for a host.
function(dmlindex_d3d12_sources host result)
    file(GLOB sources CONFIGURE_DEPENDS cpp/d3d12/*/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/(loader|timeline|vkd3d)_[a-z0-9]+\\.cpp$")
    if(host STREQUAL "vkd3d")
        list(APPEND sources cpp/d3d12/host/loader_vkd3d.cpp cpp/d3d12/host/timeline_vkd3d.cpp
             cpp/d3d12/host/vkd3d_watch.cpp cpp/d3d12/host/atomic_adds.cpp)
    else()
        list(APPEND sources cpp/d3d12/host/loader_microsoft.cpp cpp/d3d12/host/loader_${host}.cpp
                            cpp/d3d12/host/timeline_microsoft.cpp)
    endif()
    if(NOT host STREQUAL "windows")
        list(APPEND sources cpp/d3d12/host/loader_elf.cpp cpp/d3d12/host/loader_library.cpp)
    endif()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

# dmlindex_use_directx(TARGET SCOPE HOST): the headers, and the calling convention of the host.
function(dmlindex_use_directx target scope host)
    target_include_directories(${target} SYSTEM ${scope}
                               "$<BUILD_INTERFACE:${DMLINDEX_DIRECTX_HEADERS}>")
    if(NOT host STREQUAL "windows")  # stand-ins for the Windows headers that DirectX-Headers includes
        target_include_directories(${target} SYSTEM ${scope}
                                   "$<BUILD_INTERFACE:${DMLINDEX_DIRECTX_HEADERS}/wsl/stubs>")
    endif()
    if(host STREQUAL "wsl")
        target_compile_definitions(${target} ${scope} "$<BUILD_INTERFACE:DMLINDEX_D3D12_WSL>")
    endif()
endfunction()

# dmlindex_d3d12_objects(TARGET HOST SOURCES): a library of the objects of these.
function(dmlindex_d3d12_objects target host sources)
    add_library(${target} OBJECT ${sources})
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE include cpp)
    dmlindex_use_directx(${target} PRIVATE ${host})
    dmlindex_target_options(${target})
endfunction()

# The backend's objects go into dmlindex_core. Nothing else of it is compiled in another way where there is D3D12.
dmlindex_d3d12_sources(${DMLINDEX_D3D12_HOST} d3d12_sources)
dmlindex_d3d12_objects(dmlindex_d3d12 ${DMLINDEX_D3D12_HOST} "${d3d12_sources}")
target_sources(dmlindex_core PRIVATE $<TARGET_OBJECTS:dmlindex_d3d12>)
if(DMLINDEX_SANITIZE MATCHES "undefined")  # COM objects are not of the types that C++ knows them by
    set_source_files_properties(${d3d12_sources} PROPERTIES COMPILE_OPTIONS -fno-sanitize=vptr)
endif()
target_compile_definitions(dmlindex_core INTERFACE "$<BUILD_INTERFACE:DMLINDEX_HAS_D3D12>")
dmlindex_use_directx(dmlindex_core INTERFACE ${DMLINDEX_D3D12_HOST})
target_link_libraries(dmlindex_core PRIVATE ${CMAKE_DL_LIBS})

if(DMLINDEX_D3D12_HOST STREQUAL "vkd3d")
    # So that WSL's half keeps compiling where there is no WSL: cmake --build … --target dmlindex_d3d12_wsl
    dmlindex_d3d12_sources(wsl wsl_sources)
    dmlindex_d3d12_objects(dmlindex_d3d12_wsl wsl "${wsl_sources}")
    set_target_properties(dmlindex_d3d12_wsl PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
