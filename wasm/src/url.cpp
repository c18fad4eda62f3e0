// The URL parser: ada-url's single source file, without URLPattern (it would need a regular expression engine of its
// own), and what C++ needs from a runtime that has no exceptions. web_url.c uses it through ada_c.h.
//
// C++ objects live in the engine's heap (url_alloc), so they count towards the cell's memory and its garbage collection.
// Memory that cannot be had ends the cell and nothing else; web_url.c asks beforehand for large texts.
#define ADA_INCLUDE_URL_PATTERN 0

#include <cstddef>
#include <new>

#include "ada.cpp"

extern "C" void* url_alloc(std::size_t size);
extern "C" void url_release(void* block);

void* operator new(std::size_t size) {
  void* block = url_alloc(size ? size : 1);
  if (!block) __builtin_trap();
  return block;
}

void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return url_alloc(size ? size : 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return url_alloc(size ? size : 1); }

void operator delete(void* block) noexcept { url_release(block); }
void operator delete[](void* block) noexcept { url_release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { url_release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { url_release(block); }
void operator delete(void* block, std::size_t) noexcept { url_release(block); }
void operator delete[](void* block, std::size_t) noexcept { url_release(block); }

#ifdef __wasi__
// A broken precondition inside the C++ library; its own version would print.
namespace std {
inline namespace __1 {
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
}  // namespace __1
}  // namespace std
#endif
