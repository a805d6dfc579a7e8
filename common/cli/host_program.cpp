// SPDX-License-Identifier: MIT
#include "common/cli/host_program.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "common/io/output.hpp"
#include "common/io/text.hpp"

// Only a thread that could not be started fails with this code.
static const char* remedy_for(const std::exception& error) {
    const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
    const bool no_thread = of_system && of_system->code() == std::errc::resource_unavailable_try_again;
    return no_thread ? "; no thread could be started: raise the limit of processes (ulimit -u)" : "";
}

// glibc gives threads that meet in malloc() arenas of their own, and each reserves 128 MiB of addresses to begin with:
// under a limit (ulimit -v) it would be a matter of luck whether they are left for data.
static void share_memory_if_addresses_are_limited() {
#ifdef M_ARENA_MAX
    rlimit addresses{};
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
#endif
}

Exit run_to_its_end(const Program& program, const Options& options, Exit (*run)(const void*), const void* context) {
    share_memory_if_addresses_are_limited();
    hold_standard_descriptors();
    const auto failed = [&](const std::string& message, Exit exit) {
        if (options.team->processes() > 1) return options.team->fail(message, exit);
        if (!message.empty()) print_message(program.name, message, options.color, Weight::error);
        return exit;
    };
    try {
        return run(context);
    } catch (const Failure& failure) {
        return failed(failure.what(), failure.exit());
    } catch (const std::bad_alloc&) {
        const bool is_filter = !options.operands.empty() || !program.has_kernels;
        return failed(
            is_filter ? "not enough host memory for the input" : "not enough host memory; choose a smaller size",
            Exit::cuda_error);
    } catch (const std::exception& error) {
        return failed(text("unexpected: {}{}", error.what(), remedy_for(error)), Exit::cuda_error);
    }
}

int run_host_program(const Program& program, void (*run)(Session&), int argc, char** argv) {
    Options options;
    return static_cast<int>(run_to_its_end(program, options, [&] {
        if (!parse_options(program, argc, argv, options, nullptr)) return Exit::fine;
        Output output(options.output_path);
        Session session(program, options, DeviceInfo{}, output);
        run(session);
        output.commit();
        return session.exit();
    }));
}
