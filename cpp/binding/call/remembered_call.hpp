// The last small call of a function, with its plan. Most small calls come again with other values
// in arrays that lie alike: then nothing is to be read, checked and lowered anew, which takes
// longer than to move some elements.
//
// What a plan depends on is compared: dtypes, sizes and strides, the other arguments by identity.
// Whether memory overlaps is asked each time, as addresses differ. The GIL, which small calls keep,
// guards what is remembered.
#pragma once

#include <array>

#include "binding/call/invocation.hpp"
#include "binding/python/signature.hpp"

namespace dmlindex::binding {

class RememberedCall {
  public:
    // Runs the call if it is like the remembered one: its result. Null, with no exception, if not.
    PyObject* run_again(const Operator& function, const Arguments& given) {
        return is_like(function, given) ? run(function, given) : nullptr;
    }

    // Remembers a call that has run instead of the one before, unless it is large or has arguments
    // that may change. Where calls differ, one of them stays for a while: to remember takes longer
    // than to lower.
    void keep(const Invocation& call, const Plan& plan, bool in_place) {
        constexpr int kPatience = 16;
        if (is_set_ && ++misses_ < kPatience) return;
        replace(call, plan, in_place);
    }

  private:
    struct KnownArray {
        // Whether the object is an array that lies as this one did.
        bool is_like(PyObject* object) const noexcept;
        void keep(const Tensor& tensor);
        // Whether two arrays that are like these have no bytes in common.
        bool is_apart(PyObject* array, const KnownArray& other,
                      PyObject* other_array) const noexcept;

        PyArray_Descr* descr() const noexcept {
            return reinterpret_cast<PyArray_Descr*>(dtype.ptr());
        }

        py::object dtype;
        std::int64_t element_bytes = 0;
        std::int64_t first_byte = 0;  // from the array's data on
        std::int64_t last_byte = 0;   // one past it
        Layout layout;
    };

    bool is_like(const Operator& function, const Arguments& given) noexcept;
    bool is_apart(const Operator& function, const Arguments& given) const noexcept;
    PyObject* run(const Operator& function, const Arguments& given);
    [[gnu::cold]] void replace(const Invocation& call, const Plan& plan, bool in_place);

    bool is_set_ = false;
    bool is_busy_ = false;  // what is in use stays as it is
    int misses_ = 0;        // since it was last of use
    bool has_out_ = false;
    bool in_place_ = false;
    bool has_number_ = false;  // indices are a Python int
    std::int64_t number_ = 0;  // that int, in the call that runs
    KnownArray input_;
    KnownArray indices_;
    KnownArray updates_;
    KnownArray out_;
    std::array<py::object, kParameterCount> options_;  // null where not given
    py::object fill_;                                  // what the plan's fill points to
    Layout result_;                                    // packed
    Plan plan_;
    cpu::Prepared prepared_;
};

}  // namespace dmlindex::binding
