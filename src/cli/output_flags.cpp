// SPDX-License-Identifier: Apache-2.0
//
// Style is resolved once from flag, environment and terminal.
#include "cli/output_flags.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "cli/message.h"
#include "cli/notes.h"
#include "cli/pager.h"

namespace proofline {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// https://no-color.org: any non-empty NO_COLOR switches colour off; an explicit flag wins.
bool use_colour(const std::string& flag, int fd) {
  if (flag != "auto") return flag == "always";
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return isatty(fd) == 1 && !dumb && !is_set("NO_COLOR");
}

// The variables in the order in which setlocale() looks at them.
bool has_unicode(int fd) {
  if (isatty(fd) != 1) return false;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(variable)) continue;
    std::string name = std::getenv(variable);
    for (char& c : name) c = to_upper(c);
    return name.find("UTF-8") != name.npos || name.find("UTF8") != name.npos;
  }
  return false;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

}  // namespace

std::shared_ptr<OutputFlags> add_output_flags(Flags line) {
  auto flags = std::make_shared<OutputFlags>();
  std::vector<std::string> names;
  for (const View& view : views()) names.emplace_back(view.name);
  line.add("--format", flags->format, "How to print the result")
      .one_of(names)
      .shown_as(join(names))
      .with_default()
      .not_for_agents();
  line.add("--color", flags->colour, "Colour: auto follows the terminal and NO_COLOR")
      .one_of({"auto", "always", "never"})
      .shown_as("auto|always|never")
      .with_default()
      .not_for_agents();
  line.add("--width", flags->width, "Columns to fit tables into; default: the terminal's")
      .in_range(40, 10000)
      .shown_as("N")
      .not_for_agents();
  line.add_switch("--no-pager", flags->no_pager,
                  "Print long results at once; on a terminal PROOFLINE_PAGER, PAGER or less shows "
                  "them")
      .not_for_agents();
  return flags;
}

void present(const Presentation& presentation, const OutputFlags& flags, Context& context) {
  context.announcer.clear();
  ViewOptions options;
  options.width = flags.width != 0 ? flags.width : terminal_width(context.out.fd());
  options.colour = use_colour(flags.colour, context.out.fd());
  options.unicode = has_unicode(context.out.fd());
  const View& view = *find_view(flags.format);
  if (view.form == Form::kRows) {
    if (!presentation.headline.empty()) {
      print_message(fmt::format("proofline: {}\n", escape_terminal(presentation.headline)));
    }
    print_notes(presentation.notes);
  }
  context.answered = true;
  if (flags.no_pager || view.form != Form::kDocument || !can_page(context.out.fd())) {
    view.render(presentation, options, context.out);
    return;
  }
  std::string text;
  Output rendered(text);
  view.render(presentation, options, rendered);
  rendered.flush();
  context.out.flush();
  if (!page(text)) context.out.write(text);
}

std::shared_ptr<InputLimits> add_input_flags(Flags line) {
  auto limits = std::make_shared<InputLimits>();
  line.add_size("--max-size", limits->max_bytes,
                "Largest input to read, decompressed (suffix kb, mb, gb); default 8gb")
      .shown_as("SIZE");
  return limits;
}

}  // namespace proofline
