// SPDX-License-Identifier: MIT
#include "common/simt/runtime/kernels.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/runtime/device.hpp"

namespace simt {
namespace {

class KernelTable {
public:
    void remember(const void* kernel, const KernelSignature& signature) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].signature = signature;
    }

    KernelSignature signature(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? KernelSignature{} : found->second.signature;
    }

    void set_dynamic_shared_bytes(const void* kernel, size_t bytes) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].dynamic_shared_bytes = bytes;
        largest_ = std::max(largest_, bytes);
    }

    size_t dynamic_shared_bytes(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? shared_bytes_per_block : found->second.dynamic_shared_bytes;
    }

    std::vector<const void*> between(uintptr_t begin, uintptr_t end) const {
        std::vector<const void*> found;
        const std::lock_guard lock(mutex_);
        for (const auto& [address, kernel] : kernels_) {
            const auto place = reinterpret_cast<uintptr_t>(address);
            if (kernel.signature.trampoline && place >= begin && place < end) found.push_back(address);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    size_t largest() const {
        const std::lock_guard lock(mutex_);
        return largest_;
    }

private:
    struct Kernel {
        KernelSignature signature;
        size_t dynamic_shared_bytes = shared_bytes_per_block;
    };

    mutable std::mutex mutex_;
    std::unordered_map<const void*, Kernel> kernels_;
    size_t largest_ = shared_bytes_per_block;
};

KernelTable& kernels() {
    static KernelTable& table = *new KernelTable;
    return table;
}

}  // namespace

void remember_kernel(const void* kernel, const KernelSignature& signature) {
    unless_short([&] { kernels().remember(kernel, signature); });
}

KernelSignature signature_of(const void* kernel) { return kernels().signature(kernel); }

std::vector<const void*> kernels_between(uintptr_t begin, uintptr_t end) { return kernels().between(begin, end); }

size_t dynamic_shared_bytes_of(const void* kernel) { return kernels().dynamic_shared_bytes(kernel); }

void set_dynamic_shared_bytes(const void* kernel, size_t bytes) { kernels().set_dynamic_shared_bytes(kernel, bytes); }

size_t largest_dynamic_shared_bytes() { return kernels().largest(); }

// ---- the parameters of kernel nodes

namespace {

/// The parameters with copies of the arguments; as they are if the kernel's signature is unknown.
std::shared_ptr<const KernelParameters> with_copies(const cudaKernelNodeParams& parameters) {
    auto copy = std::make_shared<KernelParameters>();
    copy->node = parameters;
    const ParameterLayout* const first = signature_of(parameters.func).parameters;
    if (!first || !parameters.kernelParams) return copy;
    size_t bytes = 0, most_aligned = 1;
    std::vector<size_t> offsets;
    for (const ParameterLayout* parameter = first; parameter->bytes; ++parameter) {
        bytes = (bytes + parameter->alignment - 1) / parameter->alignment * parameter->alignment;
        offsets.push_back(bytes);
        bytes += parameter->bytes;
        most_aligned = std::max(most_aligned, parameter->alignment);
    }
    size_t room = bytes + most_aligned;
    copy->arguments = std::make_shared<std::max_align_t[]>(room / sizeof(std::max_align_t) + 1);
    void* begin = copy->arguments.get();
    std::align(most_aligned, bytes, begin, room);
    for (size_t i = 0; i < offsets.size(); ++i) {
        copy->addresses.push_back(static_cast<char*>(begin) + offsets[i]);
        std::memcpy(copy->addresses.back(), parameters.kernelParams[i], first[i].bytes);
    }
    copy->node.kernelParams = copy->addresses.data();
    return copy;
}

}  // namespace

std::shared_ptr<const KernelParameters> parameters_of(const Launch& launch) {
    struct Listener final : KernelListener {
        explicit Listener(const Launch& launch_) : launch(launch_) {}

        void is_called(const void* kernel, void** arguments) override {
            cudaKernelNodeParams node = {};
            node.func = kernel;
            node.gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
            node.blockDim = {launch.block.x, launch.block.y, launch.block.z};
            node.sharedMemBytes = static_cast<unsigned>(launch.dynamic_shared_bytes);
            node.kernelParams = arguments;
            parameters = with_copies(node);
        }

        const Launch& launch;
        std::shared_ptr<const KernelParameters> parameters;
    };
    Listener listener(launch);
    if (launch.call.kernel) {
        listener.is_called(launch.call.kernel, launch.call.arguments);
    } else {
        ask_for_kernel(launch, listener);
    }
    return listener.parameters;
}

// ---- what the program's symbols say

namespace {

// A local variable of a function, such as `_ZZ6kernelPfE4tile`.
struct LocalVariable {
    std::string name;
    size_t bytes;
    bool is_shared;  // that is, thread-local
};

template <typename T>
std::vector<T> read(std::ifstream& file, size_t offset, size_t count) {
    std::vector<T> items(count);
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(count * sizeof(T)));
    return file ? items : std::vector<T>{};
}

// The symbols of one file that matter here.
struct Symbols {
    std::multimap<uintptr_t, std::string> functions;  // by address in the file
    std::map<std::string, LocalVariable> variables;   // by name: several objects may have the same one
};

Symbols symbols_of(const std::string& path) {
    Symbols symbols;
    std::ifstream file(path, std::ios::binary);
    const auto header = read<ElfW(Ehdr)>(file, 0, 1);
    if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return symbols;
    const auto sections = read<ElfW(Shdr)>(file, header[0].e_shoff, header[0].e_shnum);
    for (const auto& section : sections) {
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
        const auto& strings = sections[section.sh_link];
        auto names = read<char>(file, strings.sh_offset, strings.sh_size);
        names.push_back('\0');
        for (const auto& symbol : read<ElfW(Sym)>(file, section.sh_offset, section.sh_size / sizeof(ElfW(Sym)))) {
            if (symbol.st_name >= names.size() || symbol.st_shndx == SHN_UNDEF) continue;
            const std::string_view name = &names[symbol.st_name];
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            if (type == STT_FUNC) {
                symbols.functions.emplace(symbol.st_value, name);
            } else if ((type == STT_TLS || type == STT_OBJECT) && name.substr(0, 3) == "_ZZ") {
                symbols.variables[std::string(name)] = {std::string(name), symbol.st_size, type == STT_TLS};
            }
        }
    }
    return symbols;
}

std::string readable(const std::string& symbol) {
    if (symbol.compare(0, 2, "_Z") != 0) return symbol;  // by itself "b" would be the type bool
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 ? text.get() : symbol;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where the demangled name of a function, or of its variable, names the function; npos if it does not. The variable of
// a function with the linkage of C is `function::variable`.
size_t place_of(std::string_view text, std::string_view function) {
    for (size_t at = text.find(function); at != text.npos; at = text.find(function, at + 1)) {
        const char before = at > 0 ? text[at - 1] : ' ', after = (std::string(text) + ' ')[at + function.size()];
        const bool is_of_c = at == 0 && after == ':' && text.find('(') == text.npos;
        if (!is_part_of_name(before) && (after == '<' || after == '(' || is_of_c)) return at;
    }
    return text.npos;
}

// `<float, 4>` in `void kernel<float, 4>(float*)`; empty if the function is not a template.
std::string_view template_arguments(std::string_view text, size_t name_end) {
    if (name_end >= text.size() || text[name_end] != '<') return "";
    int depth = 0;
    for (size_t at = name_end; at < text.size(); ++at) {
        depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
        if (depth == 0) return text.substr(name_end, at + 1 - name_end);
    }
    return "";
}

// `tools::(anonymous namespace)::` in `void tools::(anonymous namespace)::kernel<4>(float*)`: no return type.
std::string_view scope_of(std::string_view text, size_t name_begin) {
    size_t begin = name_begin;
    for (int depth = 0; begin > 0 && (depth > 0 || text[begin - 1] != ' '); --begin) {
        const char c = text[begin - 1];
        depth += c == '>' || c == ')' ? 1 : c == '<' || c == '(' ? -1 : 0;
    }
    return text.substr(begin, name_begin - begin);
}

// The scope and the template arguments of a kernel, from its demangled name.
struct KernelName {
    std::string_view scope, arguments;

    explicit KernelName(std::string_view text) {
        size_t end = 0;  // of the name: where arguments or parameters begin, beyond any "(anonymous namespace)"
        for (; end < text.size() && text[end] != '<'; ++end) {
            if (text[end] != '(') continue;
            if (text.compare(end, 21, "(anonymous namespace)") != 0) break;
            end += 20;
        }
        size_t begin = end;
        while (begin > 0 && is_part_of_name(text[begin - 1])) --begin;
        scope = scope_of(text, begin);
        arguments = template_arguments(text, end);
    }
};

// The parts of `<float, Sum<float, 2> >`: float and Sum<float, 2>.
std::vector<std::string_view> parts_of(std::string_view arguments) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = 1;
    for (size_t at = 0; at < arguments.size(); ++at) {
        depth += arguments[at] == '<' || arguments[at] == '('   ? 1
                 : arguments[at] == '>' || arguments[at] == ')' ? -1
                                                                : 0;
        if (depth != (arguments[at] == ',' ? 1 : 0)) continue;
        std::string_view part = arguments.substr(begin, at - begin);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        parts.push_back(part);
        begin = at + 2;
    }
    return parts;
}

size_t common_parts(std::string_view one, std::string_view other) {
    const auto parts = parts_of(one), others = parts_of(other);
    return static_cast<size_t>(std::count_if(parts.begin(), parts.end(), [&](std::string_view part) {
        return std::find(others.begin(), others.end(), part) != others.end();
    }));
}

// A kernel names the function that it calls, but neither its scope nor its template arguments. We take a function in
// the kernel's own scope, if there is one; of its instances, the one with the most arguments in common with the kernel,
// and of those, the largest.
size_t shared_bytes_of_callee(const Symbols& symbols, std::string_view callee, const std::string& kernel) {
    const std::string kernel_text = readable(kernel);
    const KernelName caller(kernel_text);
    std::map<std::pair<std::string, std::string>, size_t> instances;
    bool has_neighbor = false;
    for (const auto& [name, variable] : symbols.variables) {
        if (!variable.is_shared || name.find(callee) == name.npos) continue;
        const std::string text = readable(name);
        const size_t at = place_of(text, callee);
        if (at == text.npos) continue;
        const std::string_view scope = scope_of(text, at);
        has_neighbor |= scope == caller.scope;
        instances[{std::string(scope), std::string(template_arguments(text, at + callee.size()))}] += variable.bytes;
    }
    std::pair<size_t, size_t> best;  // arguments in common, bytes
    for (const auto& [instance, bytes] : instances) {
        const auto& [scope, arguments] = instance;
        if (has_neighbor && scope != caller.scope) continue;
        best = std::max(best, {common_parts(arguments, caller.arguments), bytes});
    }
    return best.second;
}

// The prefix of the names of the function's variables.
std::string variables_prefix(const std::string& function) {
    if (function.compare(0, 2, "_Z") == 0) return "_ZZ" + function.substr(2) + "E";
    return "_ZZ" + std::to_string(function.size()) + function + "E";
}

KernelFacts read_facts(const Symbols& symbols, const std::string& kernel) {
    constexpr std::string_view bounds = "simt_launch_bounds", callee = "simt_shared_of_";
    KernelFacts facts;
    const std::string prefix = variables_prefix(kernel);
    for (auto found = symbols.variables.lower_bound(prefix); found != symbols.variables.end(); ++found) {
        const auto& [name, variable] = *found;
        if (name.compare(0, prefix.size(), prefix) != 0) break;
        const std::string_view own = std::string_view(name).substr(prefix.size());
        if (variable.is_shared) facts.shared_bytes += variable.bytes;
        if (own.find(bounds) != own.npos) facts.most_threads = variable.bytes;
        if (const size_t at = own.find(callee); at != own.npos) {
            facts.shared_bytes += shared_bytes_of_callee(symbols, own.substr(at + callee.size()), kernel);
        }
    }
    return facts;
}

}  // namespace

namespace {

/// What was read of the files with kernels. The mutex guards all of it.
struct FilesRead {
    std::mutex mutex;
    std::map<std::string, Symbols> files;
    std::map<const void*, KernelFacts> facts;
    std::map<const void*, std::string> names;
};
FilesRead& files_read() {
    static FilesRead& read = *new FilesRead;
    return read;
}

/// Calls use(symbols, name) for each name of the kernel, until it returns true.
template <typename Use>
void for_each_symbol(const void* kernel, Use use) {
    const auto address = reinterpret_cast<uintptr_t>(kernel);
    const KernelModule* module = first_module();
    while (module && !module->all.contains(address)) module = module->next;
    if (!module) return;
    auto& files = files_read().files;
    auto file = files.find(module->file);
    if (file == files.end()) file = files.emplace(module->file, symbols_of(module->file)).first;
    const auto [first, last] = file->second.functions.equal_range(address - module->offset);
    for (auto name = first; name != last; ++name) {
        if (use(file->second, name->second)) return;
    }
}

/// `tools::kernel<4>` for `void tools::kernel<4>(float*)`.
std::string name_in_source(const std::string& symbol) {
    const std::string text = readable(symbol);
    const KernelName parts(text);
    const char* const begin = parts.scope.data();
    const char* end = begin + parts.scope.size();
    while (is_part_of_name(*end)) ++end;
    return {begin, end + parts.arguments.size()};
}

}  // namespace

KernelFacts facts_of(const void* kernel) {
    FilesRead& read = files_read();
    const std::lock_guard lock(read.mutex);
    if (const auto found = read.facts.find(kernel); found != read.facts.end()) return found->second;
    KernelFacts facts;
    for_each_symbol(kernel, [&](const Symbols& symbols, const std::string& name) {
        facts = read_facts(symbols, name);
        return facts.shared_bytes > 0 || facts.most_threads > 0;
    });
    return read.facts[kernel] = facts;
}

const char* name_of_kernel(const void* kernel) {
    FilesRead& read = files_read();
    const std::lock_guard lock(read.mutex);
    const auto known = read.names.try_emplace(kernel, "without a name");
    std::string& result = known.first->second;
    if (known.second) {
        for_each_symbol(kernel, [&](const Symbols&, const std::string& name) {
            result = name_in_source(name);
            return true;
        });
    }
    return result.c_str();
}

}  // namespace simt
