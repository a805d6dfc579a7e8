// SPDX-License-Identifier: MIT
#pragma once
// The files that a command line asks simcc to write: their names, the check that none of them is also read, and how a
// file made under a temporary name takes its place.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/failure.hpp"
#include "common/io/output_file.hpp"
#include "common/simt/driver/options.hpp"
#include "common/simt/driver/toolchain.hpp"

namespace simcc {

/// Whether only g++ itself can write the object: because it also writes coverage, profiles and the like to files whose
/// names follow from the object's and are stored in the program, or because it is asked to write no object.
inline bool only_compiler_writes_object(const Options& options) {
    for (const std::string& flag : options.compiler) {
        for (const char* prefix :
             {"--coverage", "-coverage", "-ftest-coverage", "-fprofile", "-fstack-usage", "-fcallgraph-info",
              "-gsplit-dwarf", "-save-temps", "--save-temps", "-fdump-", "-fsyntax-only"}) {
            if (flag.rfind(prefix, 0) == 0) return true;
        }
    }
    return false;
}

/// The name, or `other` if it is empty.
inline std::string or_else(const std::string& name, const std::string& other) { return name.empty() ? other : name; }

/// The object file of a source with -c.
inline std::string object_of(const Options& options, const std::string& source) {
    if (!options.output.empty()) return options.output;
    const std::string name = renamed(source, ".o");
    return options.output_folder.empty() ? name : options.output_folder + "/" + name;
}

/// The module of a source with -cubin and its relatives.
inline std::string module_of(const Options& options, const std::string& source) {
    if (!options.output.empty()) return options.output;
    const std::string name = renamed(source, options.module_suffix);
    return options.output_folder.empty() ? name : options.output_folder + "/" + name;
}

/// The text of a source after rewriting, with --keep or -cuda.
inline std::string rewritten_of(const Options& options, const std::string& source) {
    const std::string name = renamed(source, ".cu.cpp.ii");
    return options.stage == Stage::rewrite ? or_else(options.output, name) : name;
}

/// The dependency file beside an object.
inline std::string dependencies_of(const Options& options, const std::string& object) {
    const std::string name =
        object.substr(0, object.rfind('.') > object.rfind('/') + 1 ? object.rfind('.') : object.npos);
    return or_else(options.dependencies.file, name + ".d");
}

/// All files that are written, except for standard output by default.
inline std::vector<std::string> results_of(const Options& options) {
    std::vector<std::string> names;
    for (const Input& input : options.inputs) {
        if (input.language == Language::link_item) continue;
        const bool is_cuda = input.language == Language::cuda, is_compiled = options.stage >= Stage::compile;
        if (is_cuda && (options.stage == Stage::rewrite || (options.keep && is_compiled))) {
            names.push_back(rewritten_of(options, input.text));
        }
        if (options.stage == Stage::compile) names.push_back(object_of(options, input.text));
        if (options.stage == Stage::module) names.push_back(module_of(options, input.text));
        const Dependencies& dependencies = options.dependencies;
        const bool is_named = !dependencies.file.empty();
        if (dependencies.wanted && (is_named || options.stage == Stage::compile)) {
            names.push_back(dependencies_of(options, object_of(options, input.text)));
        }
        if (dependencies.only && is_named) names.push_back(dependencies.file);
    }
    switch (options.stage) {
        case Stage::preprocess:
            if (!options.output.empty()) names.push_back(options.output);
            break;
        case Stage::device_link: names.push_back(or_else(options.output, "a_dlink.o")); break;
        case Stage::archive: names.push_back(or_else(options.output, "a.a")); break;
        case Stage::link:
            if (!options.run || !options.output.empty()) names.push_back(or_else(options.output, "a.out"));
            break;
        default: break;
    }
    return names;
}

/// Refuses a command line that would write what it reads, or two things to one file.
inline void refuse_shared_files(const Options& options) {
    std::map<std::string, std::string> read, written;  // by identity
    for (const Input& input : options.inputs) {
        if (input.text[0] != '-') read.emplace(input_identity(input.text), input.text);
    }
    for (std::size_t i = 0; i + 1 < options.preprocessor.size(); i += 2) {
        const std::string &flag = options.preprocessor[i], &value = options.preprocessor[i + 1];
        if (flag == "-include") read.emplace(input_identity(value), value);
    }
    for (const std::string& name : results_of(options)) {
        const std::string identity = output_identity(name);
        if (identity.empty()) continue;
        if (read.count(identity) > 0) {
            throw UsageError("'" + name + "' would be written over the input '" + read[identity] +
                             "'; name another file with -o");
        }
        const auto [other, is_new] = written.emplace(identity, name);
        if (is_new) continue;
        throw UsageError("two results would be written to '" + name + "'" +
                         (other->second == name ? "" : ", which is also '" + other->second + "'") +
                         "; compile the sources one by one, and name each result");
    }
}

/// The files to write. Each is opened before any work begins, and gets its contents at the end.
class Results {
public:
    void open(const std::string& name) {
        identities_.emplace(output_identity(name), name);
        files_.try_emplace(name, name);
    }

    /// Throws UsageError if the preprocessed text has included a file that is to be written.
    void refuse_included(std::string_view preprocessed) const {
        std::set<std::string_view> included;
        for (std::size_t at = 0; (at = preprocessed.find("\n# ", at)) != preprocessed.npos; ++at) {
            const std::size_t begin = preprocessed.find('"', at) + 1, end = preprocessed.find('"', begin);
            if (end != preprocessed.npos) included.insert(preprocessed.substr(begin, end - begin));
        }
        for (const std::string_view header : included) {
            const auto shared = identities_.find(input_identity(std::string(header)));
            if (shared == identities_.end() || shared->first.empty()) continue;
            throw UsageError("'" + shared->second + "' would be written over '" + std::string(header) +
                             "', which is included; name another file with -o");
        }
    }

    /// Whether the contents of this file are handed over by put() or write().
    bool has(const std::string& name) const { return files_.count(name) > 0; }

    /// Makes `made` the result of this name.
    void put(const std::string& made, const std::string& name) {
        OutputFile& result = files_.at(name);
        const int from = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
        if (from < 0) fail(made);
        std::vector<char> block(std::size_t{1} << 20);
        ssize_t got = 0;
        while ((got = ::read(from, block.data(), block.size())) > 0) {
            append(result, name, std::string_view(block.data(), static_cast<std::size_t>(got)));
        }
        if (got < 0) fail(made);
        close(from);
        if (access(made.c_str(), X_OK) == 0) result.allow_execution();
        result.commit();
    }

    void write(const std::string& text, const std::string& name) {
        append(files_.at(name), name, text);
        files_.at(name).commit();
    }

private:
    [[noreturn]] static void fail(const std::string& name) {
        throw Failure(Exit::output_error, "cannot write to '" + name + "': " + std::strerror(errno) +
                                              "; make room, or name another file with -o");
    }

    static void append(const OutputFile& result, const std::string& name, std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(result.descriptor(), text.data(), text.size());
            if (written < 0 && errno != EINTR) fail(name);
            if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    std::map<std::string, OutputFile> files_;
    std::map<std::string, std::string> identities_;  // to names
};

}  // namespace simcc
