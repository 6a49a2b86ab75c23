// What makes a descriptor valid: the rules of the real DirectML (as version 1.15.4 answers), each
// with a reason, and four that are stricter on purpose, because DirectML answers unreliably or
// aborts there: index-tuple-size, gather-leading-ones, batch-sizes and output-overlap.
#pragma once

#include <string>
#include <vector>

#include "dmlindex/descs.hpp"

namespace dmlindex {

// A broken rule. The rule's name is stable: programs may rely on it.
struct Violation {
    std::string rule;
    std::string operator_name;
    std::string
        tensor;  // input, indices, updates or output; empty where the field is the operator's
    std::string field;
    std::string found;
    std::string expected;
    std::string advice;  // what to do; may be empty

    bool operator==(const Violation&) const = default;
};

// Every rule that the desc breaks, none when it is valid. A rule whose question makes no sense as
// another is broken (the shape of an output whose input is missing, say) is not asked.
std::vector<Violation> validate(const OperatorDesc& desc,
                                FeatureLevel feature_level = FeatureLevel::k6_4);

// The rules that a tensor breaks by itself, whatever operator it is for.
std::vector<Violation> validate(const TensorDesc& desc);

// "GATHER: output.sizes is {1, 2}, expected {2, 2} [output-sizes]"
std::string describe(const Violation& violation);

// The lowest level that has all the desc uses. The desc is valid.
FeatureLevel needed_feature_level(const OperatorDesc& desc);

}  // namespace dmlindex
