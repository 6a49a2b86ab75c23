// The functions' parameters. A function's signature is written once, as the line that help() shows;
// what parses a call and what documents it both read that line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// Every parameter that a function of the module has, by name.
enum class Parameter : std::uint8_t {
    kInput,
    kInputOrShape,
    kIndices,
    kUpdates,
    kAxis,
    kBatchDims,
    kReduction,
    kMode,
    kFillValue,
    kUniqueIndices,
    kOrdered,
    kOut,
    kDevice,
    kN,
    kBytes,
    kCount
};

inline constexpr int kParameterCount = static_cast<int>(Parameter::kCount);
inline constexpr const char* kParameterNames[kParameterCount] = {
    "input", "input_or_shape", "indices",        "updates", "axis", "batch_dims", "reduction",
    "mode",  "fill_value",     "unique_indices", "ordered", "out",  "device",     "n",
    "bytes"};

constexpr const char* name_of(Parameter parameter) noexcept {
    return kParameterNames[static_cast<int>(parameter)];
}

class Signature {
  public:
    // From a line such as "gather(input, indices, axis=0, *, mode='raise')"; does not compile with
    // a parameter that has no Parameter.
    consteval explicit Signature(const char* line) : line_(line) {
        std::string_view rest(line);
        const std::size_t open = rest.find('(');
        for (std::size_t i = 0; i < open; ++i) name_[i] = line[i];
        rest = rest.substr(open + 1, rest.size() - open - 2);
        bool is_positional = true;
        while (!rest.empty()) {
            const std::size_t comma = rest.find(", ");
            const std::string_view part = rest.substr(0, comma);
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
            if (part == "*") {
                is_positional = false;
                continue;
            }
            parameters_[count_++] = parameter_of(part.substr(0, part.find('=')));
            if (is_positional) ++positional_;
            if (part.find('=') == std::string_view::npos) ++required_;
        }
    }

    constexpr const char* line() const noexcept { return line_; }
    constexpr const char* name() const noexcept { return name_.data(); }
    constexpr int count() const noexcept { return count_; }
    constexpr int positional() const noexcept { return positional_; }
    constexpr int required() const noexcept { return required_; }  // they come first
    constexpr Parameter operator[](int i) const noexcept { return parameters_[i]; }

  private:
    static consteval Parameter parameter_of(std::string_view name) {
        for (int i = 0; i < kParameterCount; ++i) {
            if (name == kParameterNames[i]) return static_cast<Parameter>(i);
        }
        throw "a parameter without a Parameter";
    }

    const char* line_;
    std::array<char, 24> name_{};
    std::array<Parameter, kParameterCount> parameters_{};
    int count_ = 0;
    int positional_ = 0;
    int required_ = 0;
};

// What a call gave: borrowed references; null where nothing was given.
class Arguments {
  public:
    Arguments() noexcept { clear(std::make_integer_sequence<int, kParameterCount>()); }

    PyObject* operator[](Parameter parameter) const noexcept {
        return values_[static_cast<int>(parameter)];
    }
    PyObject*& at(Parameter parameter) noexcept { return values_[static_cast<int>(parameter)]; }
    // The same with None for what was not given.
    bool has(Parameter parameter) const noexcept {
        return (*this)[parameter] != nullptr && (*this)[parameter] != Py_None;
    }

  private:
    // One by one: of a loop GCC makes a string instruction, whose start alone takes as long.
    template <int... kParameters>
    void clear(std::integer_sequence<int, kParameters...>) noexcept {
        ((values_[kParameters] = nullptr), ...);
    }

    PyObject* values_[kParameterCount];
};

// Error(kType) as Python's own for an argument missing, unknown, or given twice. count is without
// vectorcall's flag.
void parse_keywords(const Signature& signature, PyObject* const* args, Py_ssize_t count,
                    PyObject* keyword_names, Arguments& given);
inline Arguments parse_arguments(const Signature& signature, PyObject* const* args,
                                 Py_ssize_t count, PyObject* keyword_names) {
    Arguments given;
    if (keyword_names != nullptr || count < signature.required() ||
        count > signature.positional()) {
        parse_keywords(signature, args, count, keyword_names, given);
        return given;
    }
    for (int i = 0; i < count; ++i) given.at(signature[i]) = args[i];
    return given;
}

// Once, at import.
void intern_parameter_names();
// The interned name, which most callers' keywords are.
PyObject* interned_name(Parameter parameter) noexcept;

// A line of the module's table of entry points. The documentation is kept for ever.
PyMethodDef method_of(const Signature& signature, void (*entry)(), const char* documentation);

template <auto kEntry>
PyMethodDef method(const Signature& signature, const char* documentation) {
    return method_of(signature, reinterpret_cast<void (*)()>(kEntry), documentation);
}

}  // namespace dmlindex::binding
