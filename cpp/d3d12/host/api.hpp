// The D3D12 headers, made right for the host at hand, and the two tools all D3D12 code here uses: a
// COM pointer and the check of every HRESULT. Only cpp/d3d12 includes this.
#pragma once

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <dxgi.h>
#else
// On x86-64 libvkd3d's COM methods follow the Windows calling convention, though its exports do
// not; WSL's libd3d12 follows Linux's throughout. The stubs define these macros as nothing; for
// vkd3d they must say ms_abi before d3d12.h declares the interfaces.
#include <wsl/stubs/basetsd.h>
#if defined(__x86_64__) && !defined(DMLINDEX_D3D12_WSL)
#undef __stdcall
#undef STDMETHODCALLTYPE
#undef STDAPICALLTYPE
#undef WINAPI
#define __stdcall __attribute__((ms_abi))
#define STDMETHODCALLTYPE __attribute__((ms_abi))
#define STDAPICALLTYPE __attribute__((ms_abi))
#define WINAPI __attribute__((ms_abi))
#endif
#include <wsl/winadapter.h>
#endif

#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>
#ifdef DMLINDEX_D3D12_WSL
#include <directx/dxcore_interface.h>
#endif
#include <dxguids/dxguids.h>

#include <utility>

namespace dmlindex::d3d12 {

// Throws when result is a failure: kMemory when the device is out of memory, else kDevice. what
// says what was being done, as in "creating a buffer".
void check(HRESULT result, const char* what);

// An owned reference to a COM object.
template <typename T>
class ComPtr {
  public:
    ComPtr() = default;
    ComPtr(const ComPtr&) = delete;
    ComPtr& operator=(const ComPtr&) = delete;
    ComPtr(ComPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <typename Derived>
    ComPtr(ComPtr<Derived>&& other) noexcept : object_(other.get()) {
        other.leak();
    }
    ComPtr& operator=(ComPtr&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~ComPtr() {
        if (object_ != nullptr) object_->Release();
    }

    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    // Where a function writes a new reference to; the pointer must be empty.
    T** put() noexcept { return &object_; }
    void** put_void() noexcept { return reinterpret_cast<void**>(&object_); }
    // Forgets the object without releasing it.
    void leak() noexcept { object_ = nullptr; }

  private:
    T* object_ = nullptr;
};

}  // namespace dmlindex::d3d12
