// Microsoft's own D3D12, on Windows and WSL: what loader_windows.cpp and loader_wsl.cpp find, each
// in its way, and loader_microsoft.cpp uses.
#pragma once

#include "d3d12/host/loader.hpp"

namespace dmlindex::d3d12 {

struct Microsoft {
    PFN_D3D12_CREATE_DEVICE create_device;
    PFN_D3D12_SERIALIZE_ROOT_SIGNATURE serialize;
    PFN_D3D12_GET_DEBUG_INTERFACE get_debug_interface;

    struct Candidate {
        ComPtr<IUnknown> object;
        Adapter adapter;
    };
    std::vector<Candidate> candidates;  // not all of them may speak D3D12
};

// Opens the libraries and lists the adapters. Returns what is missing, or nothing.
std::string open_microsoft(Microsoft& found);

// Something a fence can wake a thread with, again and again.
class Event {
  public:
    struct State;  // the host's own

    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    // What SetEventOnCompletion takes.
    HANDLE handle() noexcept;
    // True if it was signalled since the last time; false if nothing came within the time, or if a
    // signal handler ran meanwhile.
    bool wait_for_milliseconds(int milliseconds);

  private:
    std::unique_ptr<State> state_;
};

}  // namespace dmlindex::d3d12
