// SPDX-License-Identifier: Apache-2.0
#include "readers/ncu/ncu_rep_session.h"

#include <algorithm>
#include <string>

#include "readers/code/cubin_lines.h"
#include "readers/ncu/ncu_rep_result.h"

namespace proofline::ncu_file {
namespace {

SystemInfo decode_system(Message message) {
  SystemInfo system;
  while (message.next()) {
    switch (message.tag()) {
      case 1: system.os = text_of(message); break;
      case 2: system.build = text_of(message); break;
      case 3: system.processor = text_of(message); break;
      case 4: system.architecture = text_of(message); break;
      case 5: system.computer = text_of(message); break;
      default: message.skip();
    }
  }
  return system;
}

std::pair<std::string, Value> decode_attribute(Message message) {
  std::pair<std::string, Value> attribute;
  while (message.next()) {
    switch (message.tag()) {
      case 1: attribute.first = text_of(message); break;
      case 2: attribute.second = decode_value(bytes_of(message)); break;
      default: message.skip();
    }
  }
  return attribute;
}

Device decode_device(Message message, Tally& tally) {
  Device device;
  while (message.next()) {
    switch (message.tag()) {
      case 1: device.id = integer32_of(message); break;
      case 2: device.name = name_of(message, tally); break;
      case 3: device.attributes.push_back(decode_attribute(submessage_of(message))); break;
      default: message.skip();
    }
  }
  return device;
}

std::pair<std::string, std::string> decode_version(Message message) {
  std::pair<std::string, std::string> version;
  while (message.next()) {
    switch (message.tag()) {
      case 1: version.first = text_of(message); break;
      case 2: version.second = text_of(message); break;
      default: message.skip();
    }
  }
  return version;
}

void decode_executable(Message message, Session& session) {
  while (message.next()) {
    switch (message.tag()) {
      case 1: session.executable = text_of(message); break;
      case 2: session.working_directory = text_of(message); break;
      case 3: session.arguments = text_of(message); break;
      case 4: session.environment = text_of(message); break;
      default: message.skip();
    }
  }
}

// Only the text settings have names that mean something to a reader of the report.
void decode_settings(Message message, Session& session) {
  while (message.next()) {
    const char* name = nullptr;
    switch (message.tag()) {
      case 4: name = "activity"; break;
      case 7: name = "sections"; break;
      case 8: name = "clock control"; break;
      case 11: name = "replay mode"; break;
      case 14: name = "call stack types"; break;
      default: break;
    }
    if (name == nullptr) {
      message.skip();
    } else {
      session.profiler_settings.emplace_back(name, text_of(message));
    }
  }
}

SourceFile decode_source_file(Message message, bool with_code) {
  SourceFile file;
  while (message.next()) {
    switch (message.tag()) {
      case 1: file.name = text_of(message); break;
      case 2: {
        const std::string_view content = bytes_of(message);
        file.bytes = content.size();
        if (with_code) file.content = std::string(content);
        break;
      }
      default: message.skip();
    }
  }
  return file;
}

Symbol decode_symbol(Message message) {
  Symbol symbol;
  while (message.next()) {
    switch (message.tag()) {
      case 1: symbol.name = text_of(message); break;
      case 2: symbol.address = integer_of(message); break;
      default: message.skip();
    }
  }
  return symbol;
}

void keep_code(std::string_view bytes, bool with_code, std::uint64_t& size, std::string& code) {
  size = bytes.size();
  if (with_code) code = std::string(bytes);
}

}  // namespace

std::size_t ModuleTable::at(std::size_t process, std::uint64_t reference) {
  const auto [entry, is_new] = positions_.try_emplace({process, reference}, modules_.size());
  if (is_new) {
    Module& module = modules_.emplace_back();
    module.process = process;
    module.reference = reference;
  }
  return entry->second;
}

std::uint64_t ModuleTable::resolve(std::vector<Launch>& launches) const {
  std::uint64_t dangling = 0;
  for (Module& module : modules_) {
    std::stable_sort(module.functions.begin(), module.functions.end(),
                     [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  }
  for (Launch& launch : launches) {
    std::vector<std::uint64_t> positions;
    for (const std::uint64_t reference : launch.modules) {
      const auto found = positions_.find({launch.process, reference});
      if (found != positions_.end()) positions.push_back(found->second);
    }
    if (!positions_.empty() && positions.size() < launch.modules.size()) ++dangling;
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    launch.modules = std::move(positions);
  }
  return dangling;
}

void merge_session(Message message, Session& session, Tally& tally) {
  while (message.next()) {
    switch (message.tag()) {
      case 1: session.pid = integer32_of(message); break;
      case 2: session.unix_time = integer_of(message); break;
      case 3: session.host = decode_system(submessage_of(message)); break;
      case 4: session.target = decode_system(submessage_of(message)); break;
      case 6: session.devices.push_back(decode_device(submessage_of(message), tally)); break;
      case 7: session.comments = text_of(message); break;
      case 8: session.versions.push_back(decode_version(submessage_of(message))); break;
      case 9: decode_executable(submessage_of(message), session); break;
      case 10: decode_settings(submessage_of(message), session); break;
      case 11: session.profiler_command = text_of(message); break;
      default: message.skip();
    }
  }
}

void CubinTable::read(std::string_view cubin, Module& module, Tally& tally) {
  // All line tables of a report together; more than fits into 64 MB is not of this world.
  constexpr std::size_t kMaxRows = (64U << 20U) / sizeof(LineTable::Row);
  const auto [entry, is_new] = known_.try_emplace({cubin.size(), hash_of_lines(cubin)});
  Known& known = entry->second;
  if (is_new) {
    CubinLines lines = read_cubin_lines(cubin, kMaxRows - rows_);
    rows_ += lines.table.rows.size();
    if (lines.damaged) ++tally.damaged_lines;
    if (lines.unreadable) ++tally.unreadable_cubins;
    known.lines = std::make_shared<const LineTable>(std::move(lines.table));
    known.functions = std::move(lines.functions);
  }
  module.lines = known.lines;
  if (module.functions.empty()) module.functions = known.functions;
}

MergedModule merge_module(Message message, std::size_t process, const ReadOptions& options,
                          ModuleTable& modules, CubinTable& cubins, Tally& tally) {
  std::uint64_t reference = 0;
  for (Message look = message; look.next();) {
    if (look.tag() == 1) {
      reference = integer_of(look);
      break;
    }
    look.skip();
  }
  MergedModule merged{modules.at(process, reference), {}};
  Module& module = modules[merged.position];
  while (message.next()) {
    switch (message.tag()) {
      case 3: {
        const std::string_view ptx = bytes_of(message);
        if (ptx.empty()) break;
        keep_code(ptx, options.code, module.ptx_bytes, module.ptx);
        if (!options.code) tally.skipped_bytes += ptx.size();
        break;
      }
      case 4: {
        const std::string_view cubin = bytes_of(message);
        if (cubin.empty()) break;
        merged.cubin = cubin;
        keep_code(cubin, options.code, module.cubin_bytes, module.cubin);
        if (options.lines) cubins.read(cubin, module, tally);
        if (!options.code && !options.lines) tally.skipped_bytes += cubin.size();
        break;
      }
      case 6: {
        // 0x80006 is 8.6
        const std::uint32_t version = integer32_of(message);
        module.sm_major = version >> 16U;
        module.sm_minor = version & 0xffffU;
        break;
      }
      case 8:
        for (Message files = submessage_of(message); files.next();) {
          if (files.tag() == 1) {
            module.files.push_back(decode_source_file(submessage_of(files), options.code));
          } else {
            files.skip();
          }
        }
        break;
      case 9:
        for (Message relocations = submessage_of(message); relocations.next();) {
          if (relocations.tag() == 1) {
            module.functions.push_back(decode_symbol(submessage_of(relocations)));
          } else {
            relocations.skip();
          }
        }
        break;
      default: message.skip();
    }
  }
  return merged;
}

}  // namespace proofline::ncu_file
