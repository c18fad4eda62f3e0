/* A bounded text buffer: appending past the end is dropped and remembered, so
 * that no value, however large, can make formatting fail or grow. Nothing here
 * allocates.
 */
#ifndef WEB_TEXT_H
#define WEB_TEXT_H

#include "quickjs.h"

typedef struct Text {
    char *at;
    uint32_t length;
    uint32_t capacity;
    bool overflowed;
} Text;

void text_put(Text *text, const char *bytes, uint32_t n);
void text_puts(Text *text, const char *c_string);
void text_fill(Text *text, char c, uint32_t n);
void text_putf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One UTF-16 code unit sequence as UTF-8; lone surrogates become U+FFFD. */
void text_put_utf16(Text *text, const uint16_t *units, uint32_t n);
/* A JS string (or a symbol's description), at most `max` UTF-16 units of it;
 * the number of units left out is returned. */
uint32_t text_put_string(Text *text, JSValueConst string, uint32_t max);
/* Width in characters of UTF-8 bytes. */
uint32_t text_width(const char *bytes, uint32_t n);
/* Cuts to at most `max` bytes without splitting a character. */
void text_cut(Text *text, uint32_t max);

#endif
