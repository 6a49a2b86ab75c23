// The one error type. binding/errors.cpp turns it into a Python exception, and nothing else does.
#pragma once

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

}  // namespace dmlindex
