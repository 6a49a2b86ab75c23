// What can be wrong with a call: the one error type, and indices out of range.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace dmlindex {

enum class ErrorKind { kType, kValue, kIndex, kMemory, kDescriptor, kDevice };

class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const noexcept { return kind_; }

  private:
    ErrorKind kind_;
};

// What an index out of range does. kSkip is a gather's "fill" and a scatter's "drop"; kDirectml,
// what DirectML computes, is for compiled descriptors.
enum class Mode : std::uint8_t { kRaise, kClamp, kWrap, kSkip, kDirectml };

// The first index out of range, in C order of the indices.
struct BadIndex {
    std::int64_t
        position;        // flat, of the number or tuple; −1 if the indices changed under the call
    int coordinate;      // which number of the tuple
    std::uint64_t bits;  // its value, sign- or zero-extended as the index type says
};

}  // namespace dmlindex
