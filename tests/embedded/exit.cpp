// SPDX-License-Identifier: BSL-1.0

// Boots and ends with the status that the build sets (EM-01).
int main() {
  return EXIT_STATUS;
}
