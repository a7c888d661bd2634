// bench_nothing: the least that any command costs: a static C++ program that does nothing.
#include <iostream>

int main() {
  std::cout.flush();
}
