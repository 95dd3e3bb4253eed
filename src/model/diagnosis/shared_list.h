// SPDX-License-Identifier: Apache-2.0
//
// A list that does not change and is stored once, however many hold it: what thousands of kernels
// of one capture have in common.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace proofline {

template <class T>
class SharedList {
 public:
  // NOLINTBEGIN(readability-identifier-naming): what containers call them
  using value_type = T;
  using const_iterator = typename std::vector<T>::const_iterator;
  // NOLINTEND(readability-identifier-naming)

  SharedList() : SharedList(std::vector<T>{}) {}
  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor)
      : items_(std::make_shared<const std::vector<T>>(std::move(items))) {}
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  const_iterator begin() const { return items_->begin(); }
  const_iterator end() const { return items_->end(); }
  std::size_t size() const { return items_->size(); }
  bool empty() const { return items_->empty(); }
  const T& front() const { return items_->front(); }
  const T& operator[](std::size_t i) const { return (*items_)[i]; }

 private:
  std::shared_ptr<const std::vector<T>> items_;
};

}  // namespace proofline
