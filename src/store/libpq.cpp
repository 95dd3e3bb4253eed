// SPDX-License-Identifier: Apache-2.0
#include "store/libpq.h"

#include <dlfcn.h>

namespace proofline {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Libpq& pq) {
  return find(library, "PQconninfoParse", pq.parse) &&
         find(library, "PQconninfoFree", pq.free_options) &&
         find(library, "PQfreemem", pq.free_memory) &&
         find(library, "PQconnectStartParams", pq.connect_start) &&
         find(library, "PQconnectPoll", pq.connect_poll) &&
         find(library, "PQstatus", pq.status) &&  //
         find(library, "PQsocket", pq.socket) &&
         find(library, "PQerrorMessage", pq.error_message) &&
         find(library, "PQfinish", pq.finish) &&
         find(library, "PQsetNoticeProcessor", pq.set_notices) &&
         find(library, "PQsetnonblocking", pq.set_nonblocking) &&
         find(library, "PQsendQueryParams", pq.send_query) && find(library, "PQflush", pq.flush) &&
         find(library, "PQconsumeInput", pq.consume_input) &&
         find(library, "PQisBusy", pq.is_busy) && find(library, "PQgetResult", pq.get_result) &&
         find(library, "PQresultStatus", pq.result_status) &&
         find(library, "PQresultErrorField", pq.result_field) &&
         find(library, "PQntuples", pq.rows) && find(library, "PQnfields", pq.columns) &&
         find(library, "PQgetvalue", pq.value) && find(library, "PQgetlength", pq.length) &&
         find(library, "PQclear", pq.clear);
}

}  // namespace

Result<const Libpq*> load_libpq() {
  static Libpq pq{};
  static const bool kLoaded = [] {
    void* library = ::dlopen(kLibrary, RTLD_NOW);
    return library != nullptr && find_all(library, pq);
  }();
  if (kLoaded) return &pq;
  return fail(ErrorKind::kTool,
              "a journal in PostgreSQL needs its client library, libpq.so.5: install the package "
              "libpq5 (Debian, Ubuntu) or postgresql-libs");
}

}  // namespace proofline
