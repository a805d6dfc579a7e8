// The toolkit's own headers find cuda::atomic here.
#include "../atomic"
