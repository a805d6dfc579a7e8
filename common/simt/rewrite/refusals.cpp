// SPDX-License-Identifier: MIT
// Errors for code that CUDA forbids, as far as the tokens show it. To g++ a kernel is an ordinary function, and it
// accepts
//     __global__ int k();    k(1);    and, on the host, a call of a __device__ function.
// Rejecting a correct program would be worse than accepting a wrong one, so in doubt nothing is rejected.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

/// Runtime functions that kernels do not have, but that programs may try to call there: mainly those that wait.
/// (Dynamic parallelism has not had them since CUDA 12.)
constexpr std::string_view for_host[] = {"cudaDeviceSynchronize",
                                         "cudaThreadSynchronize",
                                         "cudaStreamSynchronize",
                                         "cudaEventSynchronize",
                                         "cudaStreamQuery",
                                         "cudaEventQuery",
                                         "cudaEventElapsedTime",
                                         "cudaEventCreate",
                                         "cudaStreamCreate",
                                         "cudaStreamCreateWithPriority",
                                         "cudaMemcpy",
                                         "cudaMemset",
                                         "cudaMemcpyToSymbol",
                                         "cudaMemcpyFromSymbol",
                                         "cudaMallocManaged",
                                         "cudaMallocHost",
                                         "cudaMallocAsync",
                                         "cudaFreeAsync",
                                         "cudaSetDevice",
                                         "cudaDeviceReset",
                                         "cudaDeviceSetLimit",
                                         "cudaFuncSetAttribute",
                                         "cudaGetDeviceProperties",
                                         "cudaLaunchDevice",
                                         "cudaLaunchDeviceV2",
                                         "cudaLaunchKernel",
                                         "cudaLaunchKernelEx",
                                         "cudaLaunchKernelExC",
                                         "cudaLaunchCooperativeKernel",
                                         "cudaLaunchHostFunc",
                                         "cudaGraphLaunch"};

class Refusals {
public:
    Refusals(const Source& source, const Braces& braces, const Functions& functions, const ExecutionSpaces& spaces,
             Edits& edits)
        : source_(source), braces_(braces), functions_(functions), spaces_(spaces), edits_(edits) {}

    void refuse() {
        collect_classes();
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (!source_.is_identifier(i)) continue;
            if (source_[i] == "__global__") {
                check_return_type(i);
            } else if (is_one_of(source_[i], for_host)) {
                check_host_function(i);
            } else if (functions_.has_device_declaration(source_[i])) {
                check_call(i);
            }
        }
    }

private:
    void check_return_type(std::size_t i) {
        const std::size_t first = statement_begin(source_, i), open = parameters(first);
        if (open == Source::none || source_.partner(open) == Source::none) return;
        std::size_t end = source_.partner(open), arrow = Source::none;
        for (; end < source_.size() && source_[end] != ";" && source_[end] != "{"; ++end) {
            if (source_[end] == "->" && arrow == Source::none) arrow = end;
        }
        const bool deduced = arrow == Source::none && is_deduced(first, open);
        const std::size_t type = arrow == Source::none ? value_type(first, open) : value_type(arrow, end);
        if (deduced || type != Source::none) edits_.complain(deduced ? i : type, "a __global__ function returns void");
    }

    /// The `(` of the parameters of the function whose declaration begins at token i; none if there are none.
    std::size_t parameters(std::size_t i) const {
        for (; i < source_.size(); ++i) {
            const std::string_view token = source_[i];
            if (token == "(") return source_.is_identifier(i - 1) || source_[i - 1] == ">" ? i : Source::none;
            if (token == ";" || token == "{" || token == "=" || token == "operator") return Source::none;
            i = behind_brackets(i);
            if (i == Source::none) return i;
        }
        return Source::none;
    }

    /// The last token of the attribute, the brackets or the template's arguments that begin at token i.
    std::size_t behind_brackets(std::size_t i) const {
        const bool has_operand = source_[i] == "__attribute__" || source_[i] == "alignas" || source_[i] == "decltype";
        if (has_operand && source_[i + 1] == "(") return source_.partner(i + 1);
        if (source_[i] == "[") return source_.partner(i);
        return source_[i] == "<" ? std::max(i + 1, skip_angles(source_, i)) - 1 : i;
    }

    /// The first of the tokens [first, last) that names a type other than void. An alias or a template's result may be
    /// void.
    std::size_t value_type(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (is_value_type(source_[i])) return i;
            i = behind_brackets(i);
        }
        return Source::none;
    }

    bool is_value_type(std::string_view token) const {
        for (const std::string_view type :
             {"int", "unsigned", "signed", "char", "short", "long", "float", "double", "bool", "size_t", "*", "&"}) {
            if (token == type) return true;
        }
        return classes_.count(token) != 0;
    }

    /// Whether the tokens [first, last) have `auto`, other than as the type of a template parameter.
    bool is_deduced(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] == "auto") return true;
            i = behind_brackets(i);
        }
        return false;
    }

    /// The classes that the file defines. (`template <class T>` defines none.)
    void collect_classes() {
        for (std::size_t i = 0; i + 2 < source_.size(); ++i) {
            const bool is_class = source_[i] == "struct" || source_[i] == "class" || source_[i] == "union";
            if (is_class && source_.is_identifier(i + 1) && source_[i + 2] == "{") classes_.insert(source_[i + 1]);
        }
        for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
            const bool is_parameter = source_[i] == "typename" || (source_[i] == "class" && source_[i + 2] != "{");
            const bool is_alias = source_[i] == "using" || (source_.is_identifier(i) && source_[i + 2] == ";");
            if (is_parameter || is_alias) classes_.erase(source_[i + 1]);
        }
    }

    void check_host_function(std::size_t i) {
        if (source_[i + 1] != "(" || !spaces_.is_device_only(i) || spaces_.is_unevaluated(i)) return;
        if (functions_.has_device_declaration(source_[i])) return;
        const std::string name(source_[i]);
        const bool waits = name.find("Synchronize") != std::string::npos;
        edits_.complain(i, "calling a __host__ function(\"" + name + "\") from device code is not allowed" +
                               (waits ? ": since CUDA 12 a kernel cannot wait for a launch; launch the work that "
                                        "follows into cudaStreamTailLaunch"
                                      : ": kernels do not have it; call it on the host"));
    }

    void check_call(std::size_t i) {
        const std::string_view name = source_[i];
        const std::size_t open = source_[i + 1] == "<" ? skip_angles(source_, i + 1) : i + 1;
        if (source_[open] != "(" || !braces_.in_function(i) || !is_called(i) || source_.in_system_header(i)) return;
        if (spaces_.is_unevaluated(i)) return;
        if (functions_.is_only_kernel(name)) {
            edits_.complain(i, "the kernel '" + std::string(name) + "' is called without <<<grid, block>>>");
        } else if (functions_.is_only_device(name) && spaces_.is_host_only(i)) {
            edits_.refuse_on_host(i, "the __device__ function '" + std::string(name) + "' is called on the host");
        }
    }

    /// Whether the name at token i, followed by arguments, is called rather than declared.
    bool is_called(std::size_t i) const {
        while (source_[i - 1] == "::") {
            --i;
            if (source_.is_identifier(i - 1) && !is_expression_keyword(source_[i - 1])) --i;
            if (source_[i - 1] == ">") return false;
        }
        const std::string_view before = source_[i - 1];
        if (source_.is_identifier(i - 1)) {
            return is_expression_keyword(before) && before != "new" && before != "typename" && before != "goto";
        }
        if (before == "*" || before == "&") {  // after a name this may be a type in a declaration
            const bool is_name = source_.is_identifier(i - 2) && !is_expression_keyword(source_[i - 2]);
            return !is_name && source_[i - 2] != ">" && source_[i - 2] != "*" && source_[i - 2] != "&";
        }
        return before != "." && before != "->" && before != ">" && before != "~" && before != "]";
    }

    const Source& source_;
    const Braces& braces_;
    const Functions& functions_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    std::set<std::string_view> classes_;
};

}  // namespace

void refuse_what_cuda_forbids(const Source& source, const Braces& braces, const Functions& functions,
                              const ExecutionSpaces& spaces, Edits& edits) {
    Refusals(source, braces, functions, spaces, edits).refuse();
}

}  // namespace simcc
