// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_target.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::array<std::string_view, 6> kShown = {"service", "host",   "hostaddr",
                                                    "port",    "dbname", "user"};

void replace_all(std::string& text, const std::string& from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void add_option(PostgresTarget& target, const PqOption& option) {
  const std::string name = option.keyword;
  const std::string value = option.value;
  target.options.emplace_back(name, value);
  if (std::string_view(option.display) == "*" && !value.empty()) target.secrets.push_back(value);
  if (std::find(kShown.begin(), kShown.end(), name) != kShown.end()) {
    target.where.append(" ").append(name).append("=").append(value);
  }
}

}  // namespace

Result<PostgresTarget> parse_postgres_target(const Libpq& pq, const std::string& text) {
  char* error = nullptr;
  const std::unique_ptr<PqOption, void (*)(PqOption*)> options(pq.parse(text.c_str(), &error),
                                                               pq.free_options);
  pq.free_memory(error);
  if (options == nullptr) {
    return fail(ErrorKind::kUsage,
                "the connection string is neither a valid postgresql:// URL nor a list like "
                "\"host=db.example dbname=team\"; special characters of a URL are written as "
                "%40 (@), %2F (/), %3A (:)");
  }
  PostgresTarget target;
  target.where = "PostgreSQL";
  for (const PqOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->value == nullptr) continue;
    if (std::string_view(option->keyword) == "host" &&
        std::string_view(option->value).find('@') != std::string_view::npos) {
      return fail(ErrorKind::kUsage,
                  "the host of the connection string contains an '@': one that belongs to the "
                  "password is written as %40");
    }
    add_option(target, *option);
  }
  return target;
}

std::string without_secrets(std::string message, const PostgresTarget& target) {
  for (const std::string& secret : target.secrets) replace_all(message, secret, "<redacted>");
  replace_all(message, "\n\t", " ");
  replace_all(message, "\n", " ");
  return escape_terminal(trim(message));
}

}  // namespace proofline
