// What outer.cpp needs. Built to ask for an executable stack, as both of vkd3d 1.2's libraries do.
extern "C" int dmlindex_test_inner() { return 40; }
