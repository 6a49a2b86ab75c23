// Included by every shader of the mutated copy, where `mutant` is one of the constants of a dispatch: mutant.hpp.

#define MUT(k) (mutant == k)
#define SIGN(k) (MUT(k) ? -1 : 1)
#define KEEP(k) (MUT(k) ? 0 : 1)
#define EITHER(k, plain, other) MUT(k) ? other : plain
