#define CATCH_CONFIG_MAIN
#include <cstdlib>

#include <catch2/catch.hpp>

// What stores are known by (files/store.h) is kept beside the tests, not for the one who runs
// them.
// NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread
static const int state_is_elsewhere = ::setenv("XDG_STATE_HOME", NOTESDB_BINARY_DIR "/state", 1);
