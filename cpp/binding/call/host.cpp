// The executor on the CPU.
#include <memory>

#include "binding/call/bound_operator.hpp"
#include "binding/call/invocation.hpp"
#include "binding/call/remembered_call.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "plan/facts.hpp"

namespace dmlindex::binding {
namespace {

Array new_result(Invocation& call) {
    if (call.compiled != nullptr) return call.compiled->output().fresh();
    return new_array(call.op, call.result, call.result_dtype);
}

// The table of a linear plan lies on a line: replaces one that does not by a packed copy. Gives the
// out that a scatter's copy is for, or null.
std::unique_ptr<Tensor> put_table_on_a_line(Invocation& call) {
    std::unique_ptr<Tensor> spread;
    if (call.compiled == nullptr || call.compiled->lowered().mode() != Mode::kDirectml)
        return spread;
    Tensor& table = call.gathers() ? call.input : call.out;
    if (!table.is_given() || is_packed(table)) return spread;
    if (!call.gathers()) spread = std::make_unique<Tensor>(table);
    table = packed_copy(call.op, table);
    return spread;
}

}  // namespace

void run_plan(const char* op, const Plan& plan, const cpu::Buffers& buffers,
              cpu::OnFailure on_failure, bool has_tuples, const cpu::Prepared& prepared) {
    std::optional<GilReleased> released;
    if (prepared.look_up == nullptr && moved_bytes(plan) >= kReleaseBytes) released.emplace();
    const std::optional<BadIndex> bad = cpu::run(plan, prepared, buffers, on_failure);
    released.reset();
    if (bad) throw_index_error(op, plan, *bad, has_tuples);
}

PyObject* run_on_host(Invocation& call) {
    py::object fresh;
    bool in_place = false;
    const std::unique_ptr<Tensor> spread = put_table_on_a_line(call);
    if (call.has_out()) {
        in_place = call.can_be_in_place && is_same_view(call.input, call.out);
        if (!in_place) keep_apart(call.op, call.input, call.out);
        keep_apart(call.op, call.indices, call.out);
        if (call.updates.is_given()) keep_apart(call.op, call.updates, call.out);
    } else {
        Array array = new_result(call);
        call.out.data = array.data();
        fresh = array.take();
    }
    Plan room;
    const Layout& layout =
        call.has_out() ? call.out.layout : call.result;  // packed, where it is new
    const Plan& plan = plan_of(call, layout, in_place, room);
    const cpu::Buffers buffers = buffers_of(call.gathers(), call.input.data, call.indices.data,
                                            call.updates.data, call.out.data);
    run_plan(call.op, plan, buffers,
             call.has_out() ? cpu::OnFailure::kUntouched : cpu::OnFailure::kAnything,
             call.has_tuples);
    if (spread) copy_elements(*spread, call.out);
    if (call.remembered != nullptr) call.remembered->keep(call, plan, in_place);
    return call.has_out() ? Py_NewRef(call.given_out) : fresh.release().ptr();
}

}  // namespace dmlindex::binding
