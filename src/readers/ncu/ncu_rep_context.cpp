// SPDX-License-Identifier: Apache-2.0
#include "readers/ncu/ncu_rep_context.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace proofline::ncu_file {
namespace {

// Strings of one domain that the program registered once and then names by handle.
struct Domain {
  std::string name;
  std::unordered_map<std::uint64_t, std::string> strings;
};

using Domains = std::unordered_map<std::uint64_t, Domain>;

void decode_payload(Message message, NvtxAttributes& attributes) {
  // By payload type: the spelling in ncu's own output.
  static constexpr const char* kTypes[] = {"none",  "Uint64", "Int64", "Double", "Uint32",
                                           "Int32", "Float",  "Json",  "Json"};
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        const std::uint64_t type = integer_of(message);
        if (type < std::size(kTypes)) attributes.payload_type = kTypes[type];
        break;
      }
      case 2: attributes.payload = std::to_string(integer_of(message)); break;
      case 3:
        attributes.payload = std::to_string(static_cast<std::int64_t>(integer_of(message)));
        break;
      case 4: attributes.payload = std::to_string(double_of(message)); break;
      case 5: attributes.payload = std::to_string(integer32_of(message)); break;
      case 6:
        attributes.payload = std::to_string(static_cast<std::int32_t>(integer32_of(message)));
        break;
      case 7: attributes.payload = std::to_string(float_of(message)); break;
      case 8: attributes.payload = text_of(message); break;
      default: message.skip();
    }
  }
}

void decode_message(Message message, const Domain& domain, NvtxAttributes& attributes) {
  static constexpr const char* kTypes[] = {"none", "ASCII", "UNICODE", "REGISTERED"};
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        const std::uint64_t type = integer_of(message);
        if (type < std::size(kTypes)) attributes.message_type = kTypes[type];
        break;
      }
      case 2: attributes.message = text_of(message); break;
      case 3: {
        const auto string = domain.strings.find(integer_of(message));
        if (string != domain.strings.end()) attributes.message = string->second;
        break;
      }
      default: message.skip();
    }
  }
}

NvtxAttributes decode_attributes(Message message, const Domain& domain) {
  NvtxAttributes attributes;
  while (message.next()) {
    switch (message.tag()) {
      case 3:
        for (Message colour = submessage_of(message); colour.next();) {
          if (colour.tag() == 2) {
            attributes.argb = integer32_of(colour);
          } else {
            colour.skip();
          }
        }
        break;
      case 4: decode_payload(submessage_of(message), attributes); break;
      case 5: decode_message(submessage_of(message), domain, attributes); break;
      default: message.skip();
    }
  }
  return attributes;
}

void decode_domain(Message message, Domains& domains) {
  std::uint64_t id = 0;
  Domain domain;
  while (message.next()) {
    switch (message.tag()) {
      case 1: id = integer_of(message); break;
      case 2:
        domain.name = text_of(message);
        if (domain.name == "<default domain>") domain.name.clear();
        break;
      case 3: {
        std::uint64_t handle = 0;
        std::string text;
        for (Message string = submessage_of(message); string.next();) {
          switch (string.tag()) {
            case 1: handle = integer_of(string); break;
            case 2: text = text_of(string); break;
            default: string.skip();
          }
        }
        domain.strings.emplace(handle, std::move(text));
        break;
      }
      default: message.skip();
    }
  }
  domains.insert_or_assign(id, std::move(domain));
}

// Push/pop ranges number their fields 1 name, 2 attributes; start/end ranges 1 id, 2 name, 3
// attributes.
NvtxRange decode_range(Message message, bool push_pop, const Domain& domain) {
  const protozero::pbf_tag_type name_tag = push_pop ? 1 : 2;
  NvtxRange range;
  range.domain = domain.name;
  range.push_pop = push_pop;
  while (message.next()) {
    if (message.tag() == name_tag) {
      range.name = text_of(message);
    } else if (message.tag() == name_tag + 1) {
      range.attributes = decode_attributes(submessage_of(message), domain);
    } else if (!push_pop && message.tag() == 1) {
      range.id = integer_of(message);
    } else {
      message.skip();
    }
  }
  return range;
}

void decode_domain_ranges(Message message, bool push_pop, std::optional<std::uint32_t> thread,
                          const Domains& domains, std::vector<NvtxRange>& ranges) {
  static const Domain kUnnamed;
  const Domain* domain = &kUnnamed;
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        const auto found = domains.find(integer_of(message));
        if (found != domains.end()) domain = &found->second;
        break;
      }
      case 3:
        ranges.push_back(decode_range(submessage_of(message), push_pop, *domain));
        ranges.back().thread = thread;
        break;
      default: message.skip();
    }
  }
}

void decode_thread(Message message, const Domains& domains, std::vector<NvtxRange>& ranges) {
  std::optional<std::uint32_t> thread;
  while (message.next()) {
    switch (message.tag()) {
      case 1: thread = integer32_of(message); break;
      case 2: decode_domain_ranges(submessage_of(message), true, thread, domains, ranges); break;
      default: message.skip();
    }
  }
}

StackFrame decode_frame(Message message) {
  StackFrame frame;
  while (message.next()) {
    switch (message.tag()) {
      case 1: frame.module = text_of(message); break;
      case 2: frame.pc = integer_of(message); break;
      case 3: frame.file = text_of(message); break;
      case 4: frame.function = text_of(message); break;
      case 5: frame.line = integer32_of(message); break;
      default: message.skip();
    }
  }
  return frame;
}

NvidiaRule::Message decode_rule_message(Message message) {
  NvidiaRule::Message text;
  while (message.next()) {
    switch (message.tag()) {
      case 1: text.text = text_of(message); break;
      case 2: {
        const std::uint64_t kind = integer_of(message);
        if (kind <= static_cast<std::uint64_t>(RuleMessageKind::kOptimization)) {
          text.kind = static_cast<RuleMessageKind>(kind);
        }
        break;
      }
      case 4: text.title = text_of(message); break;
      default: message.skip();
    }
  }
  return text;
}

NvidiaRule::Speedup decode_speedup(Message message) {
  NvidiaRule::Speedup speedup;
  while (message.next()) {
    switch (message.tag()) {
      case 1: speedup.global = integer_of(message) == 2; break;
      case 2: speedup.percent = double_of(message); break;
      default: message.skip();
    }
  }
  return speedup;
}

void decode_rule_item(Message message, NvidiaRule& rule) {
  while (message.next()) {
    switch (message.tag()) {
      case 1: rule.messages.push_back(decode_rule_message(submessage_of(message))); break;
      case 10: rule.speedup = decode_speedup(submessage_of(message)); break;
      default: message.skip();
    }
  }
}

}  // namespace

std::vector<NvtxRange> decode_nvtx(Message state) {
  Domains domains;
  for (Message look = state; look.next();) {
    if (look.tag() == 1) {
      decode_domain(submessage_of(look), domains);
    } else {
      look.skip();
    }
  }
  std::vector<NvtxRange> ranges;
  while (state.next()) {
    switch (state.tag()) {
      case 2: decode_thread(submessage_of(state), domains, ranges); break;
      case 3:
        decode_domain_ranges(submessage_of(state), false, std::nullopt, domains, ranges);
        break;
      default: state.skip();
    }
  }
  return ranges;
}

std::vector<StackFrame> decode_stack(Message stack) {
  std::vector<StackFrame> frames;
  while (stack.next()) {
    if (stack.tag() == 1) {
      frames.push_back(decode_frame(submessage_of(stack)));
    } else {
      stack.skip();
    }
  }
  return frames;
}

NvidiaRule decode_rule(Message message) {
  NvidiaRule rule;
  while (message.next()) {
    switch (message.tag()) {
      case 1: rule.id = text_of(message); break;
      case 2: rule.title = text_of(message); break;
      case 3:
        for (Message body = submessage_of(message); body.next();) {
          if (body.tag() == 1) {
            decode_rule_item(submessage_of(body), rule);
          } else {
            body.skip();
          }
        }
        break;
      case 4: rule.section = text_of(message); break;
      default: message.skip();
    }
  }
  return rule;
}

}  // namespace proofline::ncu_file
