# Cortex-M3 (ARMv7-M).
set(TACTOR_BOARD mps2-an385)
set(tactor_cpu_options -mcpu=cortex-m3)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-cortex-m.cmake)
