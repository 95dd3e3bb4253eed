// SPDX-License-Identifier: Apache-2.0
//
// The few functions of PostgreSQL's client library that we use. It is opened when the first team
// journal is, so that the program runs where it is not installed.
#pragma once

#include "base/result.h"

namespace proofline {

// What libpq-fe.h calls PGconn, PGresult and PQconninfoOption. A test compares the values and the
// layout below with that header.
struct PqConnection;
struct PqResult;
struct PqOption {
  char* keyword;
  char* variable;
  char* built_in;
  char* value;  // null: not given
  char* label;
  char* display;  // "*": a secret
  int display_size;
};

constexpr int kPqConnectionOk = 0;
constexpr int kPqConnectionBad = 1;
constexpr int kPqPollingFailed = 0;
constexpr int kPqPollingReading = 1;
constexpr int kPqPollingWriting = 2;
constexpr int kPqPollingOk = 3;
constexpr int kPqCommandOk = 1;
constexpr int kPqTuplesOk = 2;
constexpr int kPqFieldState = 'C';
constexpr int kPqFieldMessage = 'M';
constexpr unsigned kPqTypeUnknown = 0;
constexpr unsigned kPqTypeBytes = 17;

using PqNotices = void (*)(void* context, const char* message);

struct Libpq {
  PqOption* (*parse)(const char* text, char** error);
  void (*free_options)(PqOption*);
  void (*free_memory)(void*);
  PqConnection* (*connect_start)(const char* const* names, const char* const* values, int expand);
  int (*connect_poll)(PqConnection*);
  int (*status)(const PqConnection*);
  int (*socket)(const PqConnection*);
  char* (*error_message)(const PqConnection*);
  void (*finish)(PqConnection*);
  PqNotices (*set_notices)(PqConnection*, PqNotices, void* context);
  int (*set_nonblocking)(PqConnection*, int on);
  int (*send_query)(PqConnection*, const char* sql, int count, const unsigned* types,
                    const char* const* values, const int* lengths, const int* formats,
                    int result_format);
  int (*flush)(PqConnection*);
  int (*consume_input)(PqConnection*);
  int (*is_busy)(PqConnection*);
  PqResult* (*get_result)(PqConnection*);
  int (*result_status)(const PqResult*);
  char* (*result_field)(const PqResult*, int field);
  int (*rows)(const PqResult*);
  int (*columns)(const PqResult*);
  char* (*value)(const PqResult*, int row, int column);
  int (*length)(const PqResult*, int row, int column);
  void (*clear)(PqResult*);
};

// kTool where it is not installed. It stays open until the program ends.
Result<const Libpq*> load_libpq();

}  // namespace proofline
