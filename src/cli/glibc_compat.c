// SPDX-License-Identifier: Apache-2.0
//
// Lets a portable binary that was linked on a newer distribution start on glibc 2.35. From glibc
// 2.38 on, the headers turn strtol and its like into __isoc23_* (which also take "0b101"), and
// libstdc++'s random_device calls arc4random from 2.36 on. The names are defined here by what every
// glibc has, so the static libraries find them before libc does. Plain C11, since only with GNU
// extensions do the headers rename. Nothing of ours depends on either difference.
#include <stdint.h>
#include <stdlib.h>

// Of glibc 2.25; its header declares it only for some feature macros.
extern int getentropy(void* buffer, size_t length);

long __isoc23_strtol(const char* text, char** end, int base);
unsigned long __isoc23_strtoul(const char* text, char** end, int base);
long long __isoc23_strtoll(const char* text, char** end, int base);
unsigned long long __isoc23_strtoull(const char* text, char** end, int base);
uint32_t arc4random(void);

long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }

unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul(text, end, base);
}

long long __isoc23_strtoll(const char* text, char** end, int base) {
  return strtoll(text, end, base);
}

unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}

uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
