#include "d3d12/queue/recorder.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "d3d12/queue/queue.hpp"

namespace dmlindex::d3d12 {

void Commands::dispatch(Kernel kernel, const Constants& constants, const Views& views,
                        std::uint64_t threads) {
    commands_.emplace_back(std::in_place_type<Dispatch>, kernel, constants, views, threads);
}

void Commands::skip_where(const Span& words, bool set) { commands_.emplace_back(Skip{words, set}); }

Span Commands::slot(std::uint32_t offset) const noexcept { return queue_.slot(offset); }

bool Commands::use(const Chunk& chunk) const noexcept {
    const auto is_there = [&](const View& view) { return view.span.chunk == &chunk; };
    return std::any_of(commands_.begin(), commands_.end(), [&](const auto& command) {
        const auto* one = std::get_if<Dispatch>(&command);
        return one != nullptr && (std::ranges::any_of(one->views.read, is_there) ||
                                  std::ranges::any_of(one->views.written, is_there));
    });
}

void Commands::prepare() {
    for (const auto& command : commands_) {
        if (const auto* one = std::get_if<Dispatch>(&command)) queue_.make_pipeline(one->kernel);
    }
}

void Commands::record() {
    try {
        for (const auto& command : commands_) {
            if (const auto* one = std::get_if<Dispatch>(&command)) {
                queue_.dispatch(one->kernel, one->constants, one->views, one->threads);
            } else {
                const auto& [words, set] = std::get<Skip>(command);
                queue_.skip_where(words, set);
            }
        }
        clear();
    } catch (const Error& error) {
        queue_.stop_skipping();
        queue_.lose(error);
    } catch (const std::bad_alloc&) {
        queue_.stop_skipping();
        queue_.lose(Error(ErrorKind::kMemory, "d3d12: no memory for recording commands"));
    }
}

}  // namespace dmlindex::d3d12
