# Fails if ${TEXT} is in ${IMAGE}.
file(STRINGS ${IMAGE} found REGEX "${TEXT}")
if(found)
  message(FATAL_ERROR "${IMAGE} contains: ${found}")
endif()
