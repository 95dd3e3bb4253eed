// SPDX-License-Identifier: Apache-2.0
//
// A program to be killed while it writes into a journal:
//
//   journal_writer append WHERE COUNT   prints the id of each entry once it is stored
//   journal_writer verify WHERE         prints the ids of all entries, in order
//
// Exit code 7 where an entry could not be stored or the journal is not whole.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "store/entries/entry_identity.h"
#include "store/journal_store.h"

namespace {

using namespace proofline;

int complain(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 7;
}

// Unbuffered: what is printed was stored, and what was stored is printed next.
void print(const std::string& id) {
  const std::string line = id + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(1);
}

int append(JournalStore& store, int count) {
  int failed = 0;
  for (int i = 0; i < count; ++i) {
    const NewEntry entry{new_entry_id(), "", "note",
                         "{\"text\":\"" + std::string(2000, 'x') + "\"}"};
    const auto stored = store.append(entry);
    if (stored) {
      print(stored->id);
    } else {
      failed = complain(stored.error().message);
    }
  }
  return failed;
}

int verify(JournalStore& store) {
  const auto verified = verify_journal(store);
  if (!verified) return complain(verified.error().message);
  for (const ChainBreak& found : verified->breaks) {
    complain(std::to_string(found.sequence) + ": " + found.what);
  }
  const auto read = store.read({}, [](const JournalEntry& entry) {
    print(entry.id);
    return true;
  });
  if (!read) return complain(read.error().message);
  return verified->breaks.empty() ? 0 : 7;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto store = open_journal(argv[2]);
  if (!store) return complain(store.error().message);
  if (std::string(argv[1]) == "verify") return verify(**store);
  return argc == 4 ? append(**store, std::atoi(argv[3])) : 2;
}
