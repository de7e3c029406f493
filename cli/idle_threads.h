// What OpenMP's threads do while they wait for each other.
#pragma once

namespace glgnn::cli {

// Idle threads of GNU OpenMP spin for milliseconds unless told otherwise, which on a busy machine
// makes small problems twenty times slower. The library reads its environment when the program is
// loaded, so this sets the variable and starts the program anew, once; a user's own setting is left
// alone.
void let_idle_threads_sleep(char** argv);

}  // namespace glgnn::cli
