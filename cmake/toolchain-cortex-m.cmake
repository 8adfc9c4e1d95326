# Shared by the toolchain files of the Cortex-M boards. They set before:
#   TACTOR_BOARD        machine name in QEMU; tests/embedded has a linker script of that name
#   tactor_cpu_options  compiler options that choose the core
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # an executable needs our start-up code and linker script

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

cmake_path(SET tactor_sources NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../src/")
string(JOIN " " CMAKE_CXX_FLAGS_INIT
  ${tactor_cpu_options} -mthumb -ffreestanding -fno-exceptions -fno-rtti
  -fno-threadsafe-statics -fno-use-cxa-atexit -fno-unwind-tables -fno-asynchronous-unwind-tables
  -ffunction-sections -fdata-sections
  -fmacro-prefix-map=${tactor_sources}=  # an image has the names of source files, the same in each folder
  -Wno-psabi            # a note about how other versions of the compiler pass some objects
  -Werror=return-type)  # freestanding: main has no implicit `return 0`
# Without any library but the compiler's own, every use of a heap is a link error.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib -nostartfiles -Wl,--gc-sections")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lgcc")

# Runs an image: prints its output to stdout and returns its exit status. With -icount an interrupt can occur at every
# instruction and two runs are identical; without it, interrupts occur only between basic blocks. A guest that
# hangs ends with status 124.
set(CMAKE_CROSSCOMPILING_EMULATOR
  timeout 20 qemu-system-arm -M ${TACTOR_BOARD}
  -display none -monitor none -serial none
  -chardev stdio,id=semihosting -semihosting-config enable=on,target=native,chardev=semihosting
  -icount shift=6,align=off,sleep=off
  -kernel)
