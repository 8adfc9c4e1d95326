// SPDX-License-Identifier: BSL-1.0

// Must not link: there is no heap to link with (EM-10).
int main() {
  int* volatile number = new int{42};  // volatile: else the compiler removes the allocation
  return *number;
}
