// SPDX-License-Identifier: Apache-2.0
//
// A GPU program for machines without a GPU. It does what libcuda does at its first use (loads what
// CUDA_INJECTION64_PATH names and calls InitializeInjection), and tells its launches to fake_cupti
// where the recorder has loaded that. Without an injection it runs all the same. Its arguments, in
// their order, are what it does:
//
//   NAME[*COUNT][:NANOSECONDS][@GRIDxBLOCK]   launches a kernel: once, for 1000 ns, 1x32
//   --do=LINE       what fake_cupti takes: "copy 1 1 3 4096 2000", "push NAME", "pop", "device 1";
//                   see `act` there
//   --nvtx          loads what NVTX_INJECTION64_PATH names, as NVTX does at its first use
//   --await         waits until the recorder watches unified memory, which it does last
//   --await-closed  waits until the recorder asks for no kernels any more
//   --kill          dies of SIGKILL
//   --init          initialises CUDA only, as the first launch does
//   --load=PATH     loads a libcupti itself
//   --print=TEXT    prints a line
//   --file-limit=N  lets no file of its grow beyond N bytes
//   --fork          forks; the child launches `forked` a few times and exits
//   --child ...     starts itself with the rest of the arguments, waits, and exits in order
//   --crash         dies of SIGSEGV
//   --quit          ends by _exit, so nothing that is to run at exit does
//   --hang          never ends
//   --exit=N        exits with this code
//
//   fake_cuda_program _Z5scalePff*100:5000@264x256 _Z5shiftPff*20:3000 --exit=3
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Launch = void (*)(const char* name, std::uint32_t grid, std::uint32_t block,
                        std::uint64_t nanoseconds);

void* own_cupti = nullptr;
void* used_cupti = nullptr;

Launch initialise() {
  const char* injection = std::getenv("CUDA_INJECTION64_PATH");
  void* library = injection != nullptr ? ::dlopen(injection, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return nullptr;
  auto* start = reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"));
  if (start == nullptr || start() != 1) std::abort();
  const char* path = std::getenv("PROOFLINE_CUPTI");
  void* cupti = own_cupti;
  if (cupti == nullptr && path != nullptr) cupti = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  used_cupti = cupti;
  return cupti != nullptr ? reinterpret_cast<Launch>(::dlsym(cupti, "fake_cupti_launch")) : nullptr;
}

// CUDA initialises itself once.
Launch cuda() {
  static const Launch kLaunch = initialise();
  return kLaunch;
}

void tell(const char* line) {
  if (cuda() == nullptr) return;
  reinterpret_cast<void (*)(const char*)>(::dlsym(used_cupti, "fake_cupti_do"))(line);
}

// CUpti_ActivityKind
constexpr std::uint32_t kKernels = 10;
constexpr std::uint32_t kUnifiedMemory = 25;

// Whether the recorder asks CUPTI for this kind of records.
bool is_asked_for(std::uint32_t kind) {
  using Asks = bool (*)(std::uint32_t);
  return reinterpret_cast<Asks>(::dlsym(used_cupti, "fake_cupti_is_asked_for"))(kind);
}

void start_nvtx() {
  const char* injection = std::getenv("NVTX_INJECTION64_PATH");
  void* library = injection != nullptr ? ::dlopen(injection, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return;
  auto* start = reinterpret_cast<int (*)(void*)>(::dlsym(library, "InitializeInjectionNvtx2"));
  if (start == nullptr) std::abort();
  start(nullptr);
}

// The number after this character, which is cut off with it.
unsigned long long cut_number(std::string& text, char mark, unsigned long long otherwise) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return otherwise;
  const unsigned long long number = std::strtoull(text.c_str() + at + 1, nullptr, 10);
  text.resize(at);
  return number;
}

void launch(std::string text) {
  const bool has_shape = text.find('@') != std::string::npos;
  const auto block = has_shape ? cut_number(text, 'x', 32) : 32;
  const auto grid = cut_number(text, '@', 1);
  const auto nanoseconds = cut_number(text, ':', 1000);
  const auto count = cut_number(text, '*', 1);
  // CUPTI keeps no copy of a name.
  static std::vector<char*> names;
  names.push_back(::strdup(text.c_str()));
  for (unsigned long long i = 0; i < count && cuda() != nullptr; ++i) {
    cuda()(names.back(), static_cast<std::uint32_t>(grid), static_cast<std::uint32_t>(block),
           nanoseconds);
  }
}

void fork_off() {
  const pid_t child = ::fork();
  if (child == 0) {
    launch("forked*20000");
    std::exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

void start_child(char** arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    static char self[] = "/proc/self/exe";
    std::vector<char*> words{self};
    for (; *arguments != nullptr; ++arguments) words.push_back(*arguments);
    words.push_back(nullptr);
    ::execv(self, words.data());
    ::_exit(127);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace

int main(int, char** argv) {
  for (++argv; *argv != nullptr; ++argv) {
    const std::string word = *argv;
    const std::string value = word.substr(word.find('=') + 1);
    const auto is = [&](const char* name) { return word.rfind(name, 0) == 0; };
    if (is("--init")) {
      cuda();
    } else if (is("--do=")) {
      tell(value.c_str());
    } else if (is("--nvtx")) {
      start_nvtx();
    } else if (is("--await")) {
      const std::uint32_t kind = word == "--await" ? kUnifiedMemory : kKernels;
      while (cuda() != nullptr && is_asked_for(kind) != (word == "--await")) ::usleep(1000);
    } else if (is("--load=")) {
      own_cupti = ::dlopen(value.c_str(), RTLD_NOW);
    } else if (is("--print=")) {
      std::puts(value.c_str());
    } else if (is("--file-limit=")) {
      const rlim_t bytes = std::strtoull(value.c_str(), nullptr, 10);
      const struct rlimit limit { bytes, bytes };
      ::setrlimit(RLIMIT_FSIZE, &limit);
    } else if (is("--fork")) {
      fork_off();
    } else if (is("--child")) {
      start_child(argv + 1);
      return 0;
    } else if (is("--crash")) {
      std::raise(SIGSEGV);
    } else if (is("--kill")) {
      std::raise(SIGKILL);
    } else if (is("--quit")) {
      ::_exit(0);
    } else if (is("--hang")) {
      while (true) ::pause();
    } else if (is("--exit=")) {
      return std::atoi(value.c_str());
    } else {
      launch(word);
    }
  }
  return 0;
}
