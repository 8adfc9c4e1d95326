// SPDX-License-Identifier: BSL-1.0

// Ends in a fault handler (EM-01).
int main() {
  asm volatile("udf #0");
  return 0;
}
