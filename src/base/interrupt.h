// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C, SIGTERM and SIGHUP while a program runs for the user: counted, not obeyed at once, so
// that what runs is ended and what is written is kept whole.
#pragma once

namespace proofline {

// While one lives, the signals are counted. Not to be nested.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
};

// How often the user asked to stop since the watch began. Once: end in order. Twice: at once.
int interrupts();

// Readable as long as there are interrupts; -1 without a watch. For poll().
int interrupt_fd();

}  // namespace proofline
