# Cortex-M0 (ARMv6-M): no exclusive access, 16 KB of RAM.
set(TACTOR_BOARD microbit)
set(tactor_cpu_options -mcpu=cortex-m0)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-cortex-m.cmake)
