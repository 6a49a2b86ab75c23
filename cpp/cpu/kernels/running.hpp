// What several updates to one place come to, which stays in a register from one to the next.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include "cpu/kernels/arithmetic.hpp"

namespace dmlindex::cpu {
namespace {

// In their order.
template <Reduction kReduction, class T>
class Running {
  public:
    explicit Running(T first) noexcept : value_(first) {}
    void take(T update) noexcept { value_ = combine<kReduction>(value_, update); }
    T value() const noexcept { return value_; }

  private:
    T value_;
};

// A minimum or maximum is one of the numbers: wide it is the same.
template <Reduction kReduction, class T>
    requires(kIsHalf<T> && (kReduction == Reduction::kMin || kReduction == Reduction::kMax))
class Running<kReduction, T> {
  public:
    explicit Running(T first) noexcept : value_(widen(first)) {}
    void take(T update) noexcept { value_ = combine_float<kReduction>(value_, widen(update)); }
    T value() const noexcept {
        T half;
        narrow(value_, half);
        return half;
    }

  private:
    float value_;
};

// Sums and products stay in a vector, which GCC else clears behind the number in every step. By
// intrinsics, each type its own: the operands of a plain vector sum GCC may swap, and of two NaNs
// the first has to stay.
#if defined(__SSE2__) && !defined(__clang__)
template <Reduction kReduction>
    requires(kReduction == Reduction::kAdd || kReduction == Reduction::kMul)
class Running<kReduction, float> {
  public:
    explicit Running(float first) noexcept : value_(_mm_set_ss(first)) {}
    void take(float update) noexcept {
        const __m128 right = _mm_set_ss(update);
        value_ =
            kReduction == Reduction::kAdd ? _mm_add_ss(value_, right) : _mm_mul_ss(value_, right);
    }
    float value() const noexcept { return _mm_cvtss_f32(value_); }

  private:
    __m128 value_;
};
template <Reduction kReduction>
    requires(kReduction == Reduction::kAdd || kReduction == Reduction::kMul)
class Running<kReduction, double> {
  public:
    explicit Running(double first) noexcept : value_(_mm_set_sd(first)) {}
    void take(double update) noexcept {
        const __m128d right = _mm_set_sd(update);
        value_ =
            kReduction == Reduction::kAdd ? _mm_add_sd(value_, right) : _mm_mul_sd(value_, right);
    }
    double value() const noexcept { return _mm_cvtsd_f64(value_); }

  private:
    __m128d value_;
};
#endif

#ifdef DMLINDEX_FLOAT16_IN_VECTORS
template <Reduction kReduction>
    requires(kReduction == Reduction::kAdd || kReduction == Reduction::kMul)
class Running<kReduction, Float16> {
  public:
    explicit Running(Float16 first) noexcept : value_(in_vector(first)) {}
    void take(Float16 update) noexcept {
        value_ = combine_float16<kReduction>(value_, in_vector(update));
    }
    Float16 value() const noexcept { return out_of_vector(value_); }

  private:
    __m128i value_;
};
#endif

}  // namespace
}  // namespace dmlindex::cpu
