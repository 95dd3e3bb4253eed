// SPDX-License-Identifier: Apache-2.0
//
// The system calls that a program needs to turn a file into text, as a seccomp filter; all
// others return ENOSYS. So there are no sockets, no signals, no writing except to open descriptors,
// and system calls of future kernels are blocked as well.
#pragma once

namespace proofline {

// Whether there is a filter for this processor.
bool has_syscall_filter();

// For good, for this process and all that it starts; it must have given up new privileges. System
// calls only: fit for the time between fork and exec. False: errno says why.
bool apply_syscall_filter() noexcept;

}  // namespace proofline
