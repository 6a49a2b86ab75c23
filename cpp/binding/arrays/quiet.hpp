// Casts of which NumPy is to say nothing.
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// While it lives, NumPy says nothing of numbers that overflow or lose their fraction.
class QuietNumbers {
  public:
    QuietNumbers();
    ~QuietNumbers();
    QuietNumbers(const QuietNumbers&) = delete;
    QuietNumbers& operator=(const QuietNumbers&) = delete;

  private:
    py::object context_;  // with NumPy 2
    py::object state_;    // before it
};

}  // namespace dmlindex::binding
