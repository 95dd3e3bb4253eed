// SPDX-License-Identifier: Apache-2.0
//
// Everything here may be missing, unreadable or of another shape than we know: then it is absent
// from the Machine.
#include "tools/machine/machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/file_piece.h"
#include "base/list_folder.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "diagnosis/preflight/preflight.h"
#include "tools/machine/loaded_driver.h"
#include "tools/machine/nvml.h"
#include "tools/ncu/ncu.h"
#include "tools/process/ask_tool.h"
#include "tools/recorder/find_cupti.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = 64U << 10U;

std::string read_small_file(const std::string& path) { return read_piece(path, 0, kMaxFileBytes); }

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// The value after "<name><mark>" at the start of a line, without quotes; "" where there is none.
std::string value_in(std::string_view text, std::string_view name, char mark) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != mark)
      continue;
    line = trim(line.substr(name.size() + 1));
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') {
      line = line.substr(1, line.size() - 2);
    }
    return std::string(line);
  }
  return "";
}

std::vector<std::string> names_in(const std::string& folder) {
  return list_folder(folder).value_or(std::vector<std::string>{});
}

// ---- The system

void examine_distribution(const std::string& root, Machine& machine) {
  const std::string release = read_small_file(root + "/etc/os-release");
  machine.distribution = value_in(release, "PRETTY_NAME", '=');
  machine.distribution_families.push_back(value_in(release, "ID", '='));
  std::string like = value_in(release, "ID_LIKE", '=');
  for (std::string_view rest = like; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!word.empty()) machine.distribution_families.emplace_back(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  const std::string kernel = read_small_file(root + "/proc/sys/kernel/osrelease");
  machine.windows_subsystem = kernel.find("microsoft") != std::string::npos;
}

std::string container_at(const std::string& root) {
  if (exists(root + "/.dockerenv")) return "docker";
  if (exists(root + "/run/.containerenv")) return "podman";
  const std::string groups = read_small_file(root + "/proc/1/cgroup");
  for (const std::string_view name : {"kubepods", "docker", "containerd", "lxc"}) {
    if (groups.find(name) != std::string::npos) return std::string(name);
  }
  return std::string(trim(read_small_file(root + "/run/systemd/container")));
}

// Of a user namespace, capabilities count for nothing with the driver.
void examine_rights(const std::string& root, Machine& machine) {
  constexpr unsigned kSysAdmin = 21;
  constexpr unsigned kPerfmon = 38;
  const std::string text = value_in(read_small_file(root + "/proc/self/status"), "CapEff", ':');
  std::uint64_t effective = 0;
  std::from_chars(text.data(), text.data() + text.size(), effective, 16);
  const bool of_host = re2::RE2::FullMatch(read_small_file(root + "/proc/self/uid_map"),
                                           R"(\s*0\s+0\s+4294967295\s*)");
  machine.may_administer = of_host && (effective >> kSysAdmin & 1U) != 0;
  machine.may_monitor = of_host && (effective >> kPerfmon & 1U) != 0;
}

// ---- The driver

bool has_nvidia_gpu(const std::string& devices) {
  constexpr std::string_view kVendor = "0x10de";
  constexpr std::string_view kDisplayClass = "0x03";
  const std::vector<std::string> names = names_in(devices);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::string folder = devices + "/" + name;
    return read_small_file(folder + "/vendor").starts_with(kVendor) &&
           read_small_file(folder + "/class").starts_with(kDisplayClass);
  });
}

void examine_device_nodes(const std::string& root, Machine& machine) {
  const re2::RE2 node("nvidia([0-9]+|ctl|-uvm)");
  for (const std::string& name : names_in(root + "/dev")) {
    if (!re2::RE2::FullMatch(name, node)) continue;
    const std::string path = fmt::format("/dev/{}", name);
    machine.device_nodes.push_back(path);
    if (::access(fmt::format("{}{}", root, path).c_str(), R_OK | W_OK) != 0) {
      machine.closed_device_node = path;
    }
  }
}

void examine_module(const std::string& root, Machine& machine) {
  machine.kernel_driver = loaded_driver(root);
  const std::string admin_only =
      value_in(read_small_file(root + "/proc/driver/nvidia/params"), "RmProfilingAdminOnly", ':');
  if (!admin_only.empty()) machine.counters_for_admin_only = admin_only != "0";
}

// The newest CUDA of the library that programs would load, which need not be the driver's own.
std::optional<std::uint32_t> cuda_version_of(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW);
  if (handle == nullptr) return std::nullopt;
  int version = 0;
  const auto ask = reinterpret_cast<int (*)(int*)>(::dlsym(handle, "cuDriverGetVersion"));
  const bool answered = ask != nullptr && ask(&version) == 0 && version > 0;
  ::dlclose(handle);
  if (!answered) return std::nullopt;
  return static_cast<std::uint32_t>(version);
}

void examine_driver(const MachinePlaces& places, Machine& machine) {
  machine.gpu_on_bus = has_nvidia_gpu(places.root + "/sys/bus/pci/devices");
  examine_device_nodes(places.root, machine);
  examine_module(places.root, machine);
  machine.libcuda_version = cuda_version_of(places.cuda);
  NvmlAnswer nvml = ask_nvml(places.nvml);
  machine.nvml_trouble = std::move(nvml.trouble);
  machine.version_mismatch = nvml.version_mismatch;
  machine.driver = std::move(nvml.driver);
  machine.driver_cuda = nvml.cuda;
  machine.confidential = nvml.confidential;
  machine.confidential_tools = nvml.confidential_tools;
  machine.gpus = std::move(nvml.gpus);
}

// ---- The tools

MachineTool examine_tool(const std::string& name, const std::vector<std::string>& folders) {
  MachineTool tool = look_for_tool(name, folders);
  if (tool.state != ToolState::kFound) return tool;
  const auto said = ask_tool(tool.path, "--version");
  tool.state = ToolState::kBroken;
  if (!said) {
    tool.trouble = said.error().message;
  } else if (said->signal != 0) {
    tool.trouble = fmt::format("it died of signal {} when asked for its version", said->signal);
  } else if (tool.version = tool_version_in(said->output); tool.version.empty()) {
    tool.trouble = fmt::format("it does not say its version but {}",
                               quote(trim(said->output.empty() ? said->errors : said->output)));
  } else {
    tool.state = ToolState::kFound;
  }
  return tool;
}

std::optional<std::vector<std::string>> chips_known_to(const MachineTool& ncu) {
  if (ncu.state != ToolState::kFound) return std::nullopt;
  const auto said = ask_tool(ncu.path, "--list-chips");
  if (!said || said->exit_code != 0 || said->signal != 0) return std::nullopt;
  std::vector<std::string> chips;
  re2::StringPiece rest(said->output);
  for (std::string chip;
       re2::RE2::FindAndConsume(&rest, R"(\b([a-z]{2}[0-9]{2}[0-9a-z])\b)", &chip);) {
    chips.push_back(chip);
  }
  if (chips.empty()) return std::nullopt;
  return chips;
}

// NVIDIA's own packages put it where no search path leads.
MachineTool examine_ncu(const MachinePlaces& places) {
  MachineTool tool = examine_tool("ncu", places.tools);
  if (tool.state != ToolState::kMissing || !places.root.empty()) return tool;
  const auto packaged = Ncu::find();
  if (!packaged) return tool;
  return {"ncu", ToolState::kFound, packaged->path(), packaged->version().text, ""};
}

void examine_tools(const MachinePlaces& places, Machine& machine) {
  machine.tools.push_back(examine_ncu(places));
  for (const char* name : {"compute-sanitizer", "nsys", "nvcc", "cuobjdump", "nvdisasm"}) {
    machine.tools.push_back(examine_tool(name, places.tools));
  }
  if (!machine.gpus.empty()) machine.ncu_chips = chips_known_to(machine.tools.front());
}

void examine_recorder(Machine& machine) {
  if (auto cupti = find_cupti(cupti_search())) {
    machine.cupti = *std::move(cupti);
  } else {
    machine.recorder_trouble = cupti.error().message;
  }
}

// ---- The environment

void examine_environment(Machine& machine) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.size() == text.size() || !changes_gpu_programs(name)) continue;
    machine.environment.emplace_back(name, text.substr(name.size() + 1));
  }
  std::sort(machine.environment.begin(), machine.environment.end());
}

// Of a folder that is not there yet, where it would be made.
std::string nearest_parent(const std::string& path) {
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  while (!exists(place.string()) && place.has_relative_path()) place = place.parent_path();
  return place.string();
}

MachineFolder examine_folder(const std::string& path, const std::string& place) {
  MachineFolder folder;
  folder.path = path;
  folder.writable = ::access(place.c_str(), W_OK | X_OK) == 0;
  struct statvfs space {};
  if (::statvfs(place.c_str(), &space) == 0) {
    folder.executable = (space.f_flag & ST_NOEXEC) == 0;
    folder.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  }
  return folder;
}

// The first user of ncu creates the lock file; whether others may open it depends on the system.
void examine_lock(Machine& machine) {
  machine.lock_file = machine.temporary.path + "/nsight-compute-lock";
  struct stat status {};
  if (::lstat(machine.lock_file.c_str(), &status) != 0) return;
  const UniqueFd file(
      ::open(machine.lock_file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) machine.lock_file_owner = status.st_uid;
}

}  // namespace

Machine examine_machine(const MachinePlaces& places) {
  Machine machine;
  examine_distribution(places.root, machine);
  machine.container = container_at(places.root);
  examine_rights(places.root, machine);
  examine_driver(places, machine);
  examine_tools(places, machine);
  examine_recorder(machine);
  examine_environment(machine);
  std::string temporary(environment_variable("TMPDIR"));
  if (temporary.empty()) temporary = "/tmp";
  machine.temporary = examine_folder(temporary, temporary);
  machine.runs = examine_folder(places.runs, nearest_parent(places.runs));
  examine_lock(machine);
  return machine;
}

}  // namespace proofline
