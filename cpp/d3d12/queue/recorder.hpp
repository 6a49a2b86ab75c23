// Where the kernels that an operator takes go to: the queue, or a list that keeps them for later.
#pragma once

#include <variant>
#include <vector>

#include "d3d12/memory/views.hpp"
#include "d3d12/shaders/constants.hpp"
#include "d3d12/shaders/kernels.hpp"

namespace dmlindex::d3d12 {

class Queue;

class Recorder {
  public:
    // Runs a kernel with one thread for each of `threads`; fills in thread_count and groups_x.
    virtual void dispatch(Kernel kernel, const Constants& constants, const Views& views,
                          std::uint64_t threads) = 0;
    // From now on dispatches may be left out if the two words there are not zero, or if they are;
    // it must change nothing if they run all the same. An empty span ends it.
    virtual void skip_where(const Span& words, bool set = true) = 0;
    // An error slot, by its offset.
    virtual Span slot(std::uint32_t offset) const noexcept = 0;

  protected:
    ~Recorder() = default;
};

// The commands of an operator, until all the memory is there that they take. If some is not, they
// are dropped, and nothing has happened.
class Commands final : public Recorder {
  public:
    explicit Commands(Queue& queue) : queue_(queue) {}

    void dispatch(Kernel kernel, const Constants& constants, const Views& views,
                  std::uint64_t threads) override;
    void skip_where(const Span& words, bool set) override;
    Span slot(std::uint32_t offset) const noexcept override;

    void clear() noexcept { commands_.clear(); }
    // Whether any of them reads or writes there.
    bool use(const Chunk& chunk) const noexcept;
    // Makes the pipelines that recording them takes. Throws Error(kMemory) or Error(kDevice).
    void prepare();
    // Records them in the queue, and forgets them. Throws Error(kDevice) if the device is gone, as
    // it counts if some of them are recorded and others cannot be.
    void record();

  private:
    struct Dispatch {
        Dispatch(Kernel which, const Constants& with, const Views& on, std::uint64_t how_many)
            : kernel(which), constants(with), views(on), threads(how_many) {}

        Kernel kernel;
        Constants constants;
        Views views;
        std::uint64_t threads;
    };
    struct Skip {
        Span words;
        bool set;
    };

    Queue& queue_;
    std::vector<std::variant<Dispatch, Skip>> commands_;
};

}  // namespace dmlindex::d3d12
