// SPDX-License-Identifier: Apache-2.0
//
// The public API, in terms of the layers below it.
#include "base/text.h"
#include "proofline/proofline.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/diagnosis/diagnosis_json.h"
#include "views/view.h"

namespace proofline {

Result<Profile> load(const std::string& path, const ReadOptions& options) {
  return read_profile(path, options);
}

Result<std::string> render(const Diagnosis& diagnosis, std::span<const Profile> profiles,
                           std::string_view format, const RenderOptions& options) {
  const View* view = find_view(format);
  if (view == nullptr) {
    return fail(ErrorKind::kUsage, "no view is called " + quote(format));
  }
  DiagnosisParts parts;
  parts.verbose = options.verbose;
  parts.all = true;
  const auto document = [&] { return compose_diagnosis(diagnosis, profiles, parts); };
  const auto rows = [&] { return compose_diagnosis_rows(diagnosis); };
  const auto json = [&](JsonWriter& writer) {
    write_diagnosis_json(diagnosis, profiles, {options.verbose, false}, writer);
  };
  std::string text;
  Output output(text);
  view->render({document, json, rows}, {options.width, false}, output);
  return text;
}

}  // namespace proofline
