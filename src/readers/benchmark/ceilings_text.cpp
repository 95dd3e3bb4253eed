// SPDX-License-Identifier: Apache-2.0
//
// One small JSON file for each GPU. Half of it is worth nothing: what breaks off is an error, and
// of a ceiling without a rate nothing is kept but a note.
#include "readers/benchmark/ceilings_text.h"

#include <fmt/format.h>

#include <utility>

#include "base/characters.h"
#include "base/environment.h"
#include "base/find_above.h"
#include "base/propagate.h"
#include "base/schema_version.h"
#include "base/text.h"
#include "readers/benchmark/machine_fields.h"

namespace proofline {
namespace {

std::optional<Interval> interval_of(const JsonFields& ceiling) {
  if (ceiling.find("interval") == nullptr) return std::nullopt;
  const JsonFields ends = ceiling.object("interval");
  const auto low = ends.positive("low");
  const auto high = ends.positive("high");
  if (low && high && *low <= *high) return Interval{*low, *high};
  ceiling.notes().lose("\"interval\" is not one of two rates");
  return std::nullopt;
}

// Nothing for one that says no rate.
std::optional<Ceiling> ceiling_of(const JsonFields& fields) {
  Ceiling ceiling;
  ceiling.name = fields.text("name");
  const auto rate = fields.positive("per_second");
  const std::string unit = fields.text("unit");
  ceiling.bytes = unit == "B/s";
  if (ceiling.name.empty() || !rate || (!ceiling.bytes && unit != "FLOP/s")) {
    fields.notes().lose("ceilings without a name, a rate above zero, or B/s or FLOP/s");
    return std::nullopt;
  }
  ceiling.per_second = *rate;
  ceiling.interval = interval_of(fields);
  ceiling.samples = fields.whole("samples").value_or(0);
  ceiling.throttled = fields.whole("throttled").value_or(0);
  ceiling.sm_mhz = fields.positive("sm_mhz");
  ceiling.how = fields.text("how");
  ceiling.at_least = fields.flag("at_least").value_or(false);
  return ceiling;
}

Result<Ceilings> ceilings_of(const JsonFields& root) {
  if (root.text("result") != "ceilings") {
    return fail(ErrorKind::kInput,
                "it is not what proofline calibrate writes: \"result\" is not \"ceilings\"");
  }
  const std::string version = root.text("schema_version");
  if (!is_readable_schema(version)) {
    return fail(ErrorKind::kInput, fmt::format("it follows schema {}, this version of proofline "
                                               "knows {}; run proofline calibrate again",
                                               quote(version), kReadableSchemas));
  }
  Ceilings result;
  result.machine = read_machine(root.object("machine"));
  result.measured_at = root.text("measured_at");
  for (const JsonValue& value : root.list("ceilings")) {
    auto ceiling = ceiling_of(JsonFields(value, root.notes()));
    if (!ceiling) continue;
    if (find_ceiling(result, ceiling->name) == nullptr)
      result.ceilings.push_back(std::move(*ceiling));
    else
      root.notes().lose("ceilings of a name that was there before");
  }
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
  const JsonFields root(document, notes);
  auto ceilings = ceilings_of(root);
  if (!ceilings) {
    return fail(ceilings.error().kind,
                fmt::format("{}: {}", quote(name), ceilings.error().message));
  }
  ceilings->path = name;
  if (stored == StoredNotes::kRead) {
    for (const JsonValue& note : root.list("notes")) {
      ceilings->notes.push_back(read_note(JsonFields(note, notes)));
    }
  }
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
