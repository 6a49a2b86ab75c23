// Built to ask for an executable stack, and not told where the library is that it needs.
extern "C" int dmlindex_test_inner();
extern "C" int dmlindex_test_outer() { return dmlindex_test_inner() + 2; }
