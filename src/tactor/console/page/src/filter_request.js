// SPDX-License-Identifier: BSL-1.0
// The key / on another screen: the filter of the actors gets the focus when it is there, however long its data take.
let requested = false;

export function requestFilter() {
  requested = true;
}

/** Whether the filter was requested since the last call. */
export function takeFilterRequest() {
  const was = requested;
  requested = false;
  return was;
}
