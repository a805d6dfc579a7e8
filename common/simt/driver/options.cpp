// SPDX-License-Identifier: MIT
#include "common/simt/driver/options.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/io/process.hpp"
#include "common/io/text.hpp"
#include "common/simt/driver/option_table.hpp"

namespace simcc {
namespace {

/// Rejects options for things that a simulator cannot do.
void refuse(const std::string& argument, std::string_view name) {
    for (const std::string_view gpu_code : {"ptx", "cubin", "fatbin", "fatbinary", "optix-ir", "ltoir"}) {
        if (name != gpu_code) continue;
        throw UsageError(argument + ": the simulator runs kernels as host code; there is no GPU code to write");
    }
}

/// The language of a file: from -x, or from the suffix.
Language language_of(const std::string& forced, const std::string& path) {
    if (forced != "none") return forced == "cu" ? Language::cuda : forced == "c" ? Language::c : Language::cxx;
    const std::size_t dot = path.rfind('.');
    const std::string suffix = dot == std::string::npos ? "" : path.substr(dot + 1);
    if (suffix == "cu") return Language::cuda;
    if (suffix == "cpp" || suffix == "cc" || suffix == "cxx" || suffix == "C") return Language::cxx;
    if (suffix == "c") return Language::c;
    if (suffix == "o" || suffix == "a" || suffix == "so" || path.find(".so.") != std::string::npos) {
        return Language::link_item;
    }
    throw UsageError(path + ": unknown suffix; sources end in .cu, .cpp or .c, or follow -x cu");
}

/// g++ options that need no -Xcompiler here.
bool is_for_gxx(std::string_view name, bool two_dashes) {
    for (const std::string_view known : {"pthread", "pg", "s", "rdynamic", "pipe", "pedantic", "static"}) {
        if (name == known) return true;
    }
    return !two_dashes && name.size() > 1 && (name[0] == 'f' || name[0] == 'W');
}

[[noreturn]] void fail_unknown(const std::string& argument) {
    const std::string word = argument.substr(0, argument.find('='));
    const std::string nearest = word.size() < 3 ? "" : nearest_name(word, option_names());
    throw UsageError("unknown option '" + word + "'" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                     "; " + called("simcc") + " --help lists them, and -Xcompiler passes one to g++");
}

/// Applies the option at arguments[i]; leaves i at the last argument that belongs to it.
void apply_option(Options& options, const std::vector<std::string>& arguments, std::size_t& i) {
    const std::string& argument = arguments[i];
    const bool two_dashes = argument[1] == '-';
    const std::string body = argument.substr(two_dashes ? 2 : 1);
    const std::size_t equals = body.find('=');
    const std::string name = body.substr(0, equals);
    refuse(argument, name);

    const OptionRow* row = find_option(name);
    const OptionRow* joined = two_dashes || body.empty() ? nullptr : find_joined_option(body[0]);
    if (row != nullptr && row->argument == Argument::none) {
        row->apply(options, "");
    } else if (row != nullptr && equals != std::string::npos) {
        row->apply(options, body.substr(equals + 1));
    } else if (row != nullptr) {
        if (++i == arguments.size()) throw UsageError(argument + ": a value is missing");
        row->apply(options, arguments[i]);
    } else if (joined != nullptr) {
        joined->apply(options, body.substr(1));
    } else if (is_for_gxx(body, two_dashes)) {
        options.compiler.push_back(argument);
    } else {
        options.unknown.push_back(argument);
    }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].size() < 2 || arguments[i][0] != '-') {
            options.inputs.push_back({language_of(options.language, arguments[i]), arguments[i]});
        } else {
            apply_option(options, arguments, i);
        }
    }
    if (!options.unknown.empty() && !options.forward_unknown) fail_unknown(options.unknown.front());
    options.compiler.insert(options.compiler.end(), options.unknown.begin(), options.unknown.end());
    const auto is_source = [](const Input& input) { return input.language != Language::link_item; };
    const auto sources = std::count_if(options.inputs.begin(), options.inputs.end(), is_source);
    if (!options.output.empty() && sources > 1 && options.stage <= Stage::compile) {
        throw UsageError("-o names one file, but there are " + std::to_string(sources) + " sources to compile");
    }
    if (options.run && options.stage != Stage::link) {
        throw UsageError("-run needs a program; leave out the option that stops before linking");
    }
    return options;
}

}  // namespace simcc
