# Cortex-M33 (ARMv8-M mainline), in its secure state, without the optional DSP and floating-point instructions.
set(TACTOR_BOARD mps2-an505)
set(tactor_cpu_options -mcpu=cortex-m33+nodsp -mfloat-abi=soft)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-cortex-m.cmake)
