// SPDX-License-Identifier: Apache-2.0
//
// One small JSON file for each GPU. Half of it is worth nothing: what breaks off is an error, and
// of a ceiling without a rate nothing is kept but a note.
#include "readers/benchmark/ceilings_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/environment.h"
#include "base/find_above.h"
#include "base/propagate.h"
#include "base/record_reader.h"
#include "base/schema_version.h"
#include "base/text.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {
namespace {

// What cannot be is lost, and so is the second ceiling of a name.
void settle(Ceilings& read, BenchmarkNotes& notes) {
  std::vector<Ceiling> ceilings;
  std::swap(ceilings, read.ceilings);
  for (Ceiling& ceiling : ceilings) {
    if (ceiling.interval && ceiling.interval->low > ceiling.interval->high) {
      ceiling.interval.reset();
      notes.lose("\"interval\" is not one of two rates");
    }
    if (find_ceiling(read, ceiling.name) == nullptr)
      read.ceilings.push_back(std::move(ceiling));
    else
      notes.lose("ceilings of a name that was there before");
  }
}

Result<Ceilings> ceilings_of(const JsonValue& root, BenchmarkNotes& notes) {
  const JsonFields fields(root, notes);
  if (fields.text("result") != "ceilings") {
    return fail(ErrorKind::kInput,
                "it is not what proofline calibrate writes: \"result\" is not \"ceilings\"");
  }
  const std::string version = fields.text("schema_version");
  if (!is_readable_schema(version)) {
    return fail(ErrorKind::kInput, fmt::format("it follows schema {}, this version of proofline "
                                               "knows {}; run proofline calibrate again",
                                               quote(version), kReadableSchemas));
  }
  Ceilings result;
  for (const RecordFlaw& flaw : read_record(root, result).flaws) notes.lose(flaw.what, flaw.count);
  settle(result, notes);
  if (result.ceilings.empty()) {
    return fail(ErrorKind::kInput, "there is no ceiling in it; run proofline calibrate again");
  }
  return result;
}

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

// "NVIDIA H200", or the part of it that MIG cuts off.
std::string kind_of(const BenchmarkMachine& machine) {
  return quote(machine.gpu) + (machine.mig.value_or(false) ? " with MIG" : "");
}

}  // namespace

Result<Ceilings> parse_ceilings(std::string_view text, const std::string& name,
                                StoredNotes stored) {
  if (text.size() > kMostCeilingsBytes) {
    return fail(ErrorKind::kInput,
                fmt::format("{} has more than {} bytes, which no file of proofline calibrate has",
                            quote(name), kMostCeilingsBytes));
  }
  BenchmarkNotes notes;
  rapidjson::Document document;
  RETURN_IF_ERROR(parse_benchmark(text, name, document, notes));
  auto ceilings = ceilings_of(document, notes);
  if (!ceilings) {
    return fail(ceilings.error().kind,
                fmt::format("{}: {}", quote(name), ceilings.error().message));
  }
  ceilings->path = name;
  if (stored == StoredNotes::kLeave) ceilings->notes.clear();
  notes.append_to(ceilings->notes);
  return ceilings;
}

Result<Ceilings> parse_ceilings_for(const BenchmarkMachine& machine, std::string_view text,
                                    const std::string& name) {
  auto ceilings = parse_ceilings(text, name, StoredNotes::kLeave);
  if (!ceilings) return ceilings;
  const BenchmarkMachine& measured = ceilings->machine;
  const bool cut_off = machine.mig && measured.mig && *machine.mig != *measured.mig;
  if (differ(machine.gpu, measured.gpu) || cut_off) {
    return fail(ErrorKind::kInput,
                fmt::format("{} has the ceilings of {}, and the measurements are of {}; run "
                            "proofline calibrate there",
                            quote(name), kind_of(measured), kind_of(machine)));
  }
  const auto mention = [&](std::string what) {
    ceilings->notes.push_back({NoteKind::kInfo, "", std::move(what)});
  };
  if (machine.gpu.empty() || measured.gpu.empty()) {
    mention("nothing says that the ceilings are those of the GPU that the measurements are of");
  } else if (differ(machine.uuid, measured.uuid)) {
    mention("the ceilings are those of another GPU of the same name, " + quote(measured.uuid));
  }
  if (differ(machine.driver, measured.driver)) {
    mention(fmt::format("the ceilings were measured with driver {}, the rest with {}",
                        quote(measured.driver), quote(machine.driver)));
  }
  return ceilings;
}

std::string ceilings_file(const std::string& folder, const std::string& uuid) {
  // A uuid is a stranger's text too: it must not lead out of the folder.
  constexpr std::size_t kLongest = 100;
  std::string name = uuid.substr(0, kLongest);
  for (char& c : name) {
    const bool plain = is_alphanumeric(c) || c == '-';
    if (!plain) c = '_';
  }
  return fmt::format("{}/ceilings/{}.json", folder, name);
}

Result<std::string> find_ceilings_file(const BenchmarkMachine& machine) {
  const std::string chosen(environment_variable("PROOFLINE_CEILINGS"));
  if (!chosen.empty() || machine.uuid.empty()) return chosen;
  return find_above(ceilings_file(".proofline", machine.uuid), "PROOFLINE_CEILINGS");
}

}  // namespace proofline
