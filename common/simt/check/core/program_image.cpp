// SPDX-License-Identifier: MIT
#include "common/simt/check/core/program_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "common/simt/check/core/symbols.hpp"
#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/shared_window.hpp"

namespace simt::check {
namespace {

// A module's file, mapped for reading.
class ModuleFile {
public:
    explicit ModuleFile(const std::string& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (file < 0) return;
        if (fstat(file, &status) == 0 && status.st_size > 0) {
            void* const memory = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
            if (memory != MAP_FAILED) {
                data_ = static_cast<const char*>(memory);
                bytes_ = static_cast<size_t>(status.st_size);
            }
        }
        close(file);
    }
    ~ModuleFile() {
        if (data_) munmap(const_cast<char*>(data_), bytes_);
    }
    ModuleFile(const ModuleFile&) = delete;
    ModuleFile& operator=(const ModuleFile&) = delete;

    const char* data() const { return data_; }
    size_t bytes() const { return bytes_; }

private:
    const char* data_ = nullptr;
    size_t bytes_ = 0;
};

using Modules = std::function<void(const dl_phdr_info&)>;

void for_each_module(Modules visit) {
    dl_iterate_phdr(
        [](dl_phdr_info* module, size_t, void* data) {
            (*static_cast<Modules*>(data))(*module);
            return 0;
        },
        &visit);
}

// "tile" of "void n::tile<32>(float*, int)", and of one in an unnamed namespace.
std::string function_name(std::string signature) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (size_t at; (at = signature.find(unnamed)) != std::string::npos;) signature.erase(at, unnamed.size());
    const std::string name = signature.substr(0, signature.find_first_of("(<"));
    return name.substr(name.find_last_of(" :") + 1);
}

void sort_by_place(std::vector<Variable>& variables) {
    std::sort(variables.begin(), variables.end(),
              [](const Variable& one, const Variable& other) { return one.begin < other.begin; });
}

const Variable* variable_at(const std::vector<Variable>& variables, uintptr_t address) {
    const auto begins_later = [](uintptr_t place, const Variable& variable) { return place < variable.begin; };
    const auto after = std::upper_bound(variables.begin(), variables.end(), address, begins_later);
    if (after == variables.begin()) return nullptr;
    const Variable& candidate = *(after - 1);
    return candidate.contains(address) ? &candidate : nullptr;
}

// The checks follow one range of shared memory, which has the same form in each thread: the libraries that a program is
// linked with have their thread-local storage side by side, those that it opens do not.
void refuse_opened_libraries() {
    std::fputs(
        "simcc: libraries with checked kernels and __shared__ variables that dlopen() has opened share one simulator: "
        "link the program "
        "with them, or open each without RTLD_GLOBAL\n",
        stderr);
    _exit(2);
}

}  // namespace

AddressRange shared_window_of_thread() {
    constexpr size_t most_bytes = size_t{64} << 20;
    const SharedWindow window;
    static const ptrdiff_t place = window.begin() - SharedWindow::dynamic_begin();
    static const size_t bytes = window.bytes();
    if (window.begin() - SharedWindow::dynamic_begin() != place || window.bytes() != bytes || bytes > most_bytes)
        refuse_opened_libraries();
    return {reinterpret_cast<uintptr_t>(window.begin()), bytes};
}

const ProgramImage& ProgramImage::instance() {
    static const ProgramImage& image = *new ProgramImage;
    return image;
}

ProgramImage::ProgramImage() {
    const AddressRange window = shared_window_of_thread();
    for (const KernelModule* module = first_module(); module; module = module->next) {
        const ModuleFile file(module->file);
        const auto storage = reinterpret_cast<uintptr_t>(module->storage()) - window.begin;
        const size_t others = thread_local_.size();
        if (!file.data() || !read_symbols(file.data(), file.bytes(), module->offset, storage)) {
            // (The simulator's own library, if it is one, has no checked kernels, and is installed without symbols.)
            const auto own = reinterpret_cast<uintptr_t>(&ProgramImage::instance);
            const bool is_simulator = module->offset != executable().offset && module->code.contains(own);
            has_symbols_ = has_symbols_ && is_simulator;
            unannounced_.push_back({module->variables.begin, module->variables.bytes(), ""});
            thread_local_.push_back({storage, module->storage_bytes, ""});
        }
        if (module->storage_bytes == 0) thread_local_.resize(others);  // they are the host's
    }
    sort_by_place(thread_local_);
    sort_by_place(unannounced_);
    sort_by_place(others_);
    for_each_module([&](const dl_phdr_info& module) {
        for (int i = 0; i < module.dlpi_phnum; ++i) {
            const auto& segment = module.dlpi_phdr[i];
            const bool read_only = segment.p_type == PT_LOAD && !(segment.p_flags & PF_W);
            if (!read_only && segment.p_type != PT_GNU_RELRO) continue;
            const uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
            constants_.push_back({begin, begin + segment.p_memsz});
        }
    });
}

bool ProgramImage::read_symbols(const char* file, size_t bytes, uintptr_t offset, uintptr_t storage) {
    ElfW(Ehdr) header;
    if (bytes < sizeof header) return false;
    std::memcpy(&header, file, sizeof header);
    if (header.e_shoff == 0 || header.e_shoff + size_t{header.e_shnum} * sizeof(ElfW(Shdr)) > bytes) return false;
    const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file + header.e_shoff);
    bool has_table = false;
    for (size_t i = 0; i < header.e_shnum; ++i) {
        const auto& table = sections[i];
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
        has_table = true;
        const char* const names = file + sections[table.sh_link].sh_offset;
        const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(file + table.sh_offset);
        for (size_t k = 0; k < table.sh_size / sizeof(ElfW(Sym)); ++k) {
            const auto& symbol = symbols[k];
            const char* const name = names + symbol.st_name;
            const int type = symbol.st_info & 0xf;
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
            if (type != STT_TLS && type != STT_OBJECT) continue;
            const bool of_a_function = std::strncmp(name, "_ZZ", 3) == 0 || std::strncmp(name, "_ZGVZ", 5) == 0;
            std::string variable = demangled(name);
            const size_t own_name = variable.rfind("::");
            const uintptr_t address = type == STT_TLS ? 0 : symbol.st_value + offset;
            if (own_name == std::string::npos) {
                declarations_.emplace(variable, Declaration{"", address});
            } else {
                const std::string scope = of_a_function ? function_name(variable.substr(0, own_name)) : "";
                declarations_.emplace(variable.substr(own_name + 2), Declaration{scope, address});
            }
            if (type == STT_TLS) {
                thread_local_.push_back({storage + symbol.st_value, symbol.st_size, std::move(variable)});
            } else if (of_a_function || variable.find('<') != std::string::npos) {
                unannounced_.push_back({symbol.st_value + offset, symbol.st_size, std::move(variable)});
            } else {
                others_.push_back({symbol.st_value + offset, symbol.st_size, std::move(variable)});
            }
        }
    }
    return has_table;
}

const Variable* ProgramImage::unannounced_at(uintptr_t address) const { return variable_at(unannounced_, address); }
const Variable* ProgramImage::host_variable_at(uintptr_t address) const { return variable_at(others_, address); }

ProgramImage::Meaning ProgramImage::meaning_of(const std::string& name, const Symbol& place) const {
    if (!has_symbols_) return Meaning::variable;
    Meaning meaning = Meaning::neither;
    const auto [first, last] = declarations_.equal_range(name);
    for (auto entry = first; entry != last; ++entry) {
        const std::string& function = entry->second.function;
        const uintptr_t address = entry->second.address;
        const auto is_function = [&](const Frame& frame) { return function_name(frame.function) == function; };
        if (!function.empty() && !place.frames.empty() &&
            std::none_of(place.frames.begin(), place.frames.end(), is_function))
            continue;
        if (!is_constant(address)) return Meaning::variable;
        meaning = Meaning::constant;
    }
    return meaning;
}

bool ProgramImage::is_constant(uintptr_t address) const {
    return std::any_of(constants_.begin(), constants_.end(),
                       [&](const Range& range) { return address >= range.begin && address < range.end; });
}

// String literals have no symbols, but none has so many of the byte that fills the space.
bool ProgramImage::is_between_constants(uintptr_t address) const {
    constexpr uintptr_t enough = 24;
    constexpr unsigned char filling = 0xd5;
    const auto byte_at = [](uintptr_t at) { return *reinterpret_cast<const unsigned char*>(at); };
    if (byte_at(address) != filling || unannounced_at(address) || host_variable_at(address)) return false;
    const auto run = [&](int step) {
        uintptr_t length = 0;
        for (uintptr_t at = address; length < enough && is_constant(at); at += uintptr_t(step), ++length)
            if (byte_at(at) != filling) break;
        return length;
    };
    return run(1) + run(-1) > enough;
}

}  // namespace simt::check
