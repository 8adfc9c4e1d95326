// SPDX-License-Identifier: BSL-1.0

// Must not link: there is no heap to link with (EM-10).
int main() {
  const int* const number = new int{42};
  return *number;
}
