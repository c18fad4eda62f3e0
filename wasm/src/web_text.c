/* See web_text.h. */
#include "web_text.h"

#include <stdarg.h>

#include "web_peek.h"

#define UTF8_MAX 4 /* bytes that one more character may need */

void text_put(Text *text, const char *bytes, uint32_t n)
{
    uint32_t room = text->capacity - text->length;

    if (n > room) {
        text->overflowed = true;
        n = room;
    }
    memcpy(text->at + text->length, bytes, n);
    text->length += n;
}

void text_puts(Text *text, const char *c_string)
{
    text_put(text, c_string, strlen(c_string));
}

void text_fill(Text *text, char c, uint32_t n)
{
    while (n-- > 0)
        text_put(text, &c, 1);
}

void text_putf(Text *text, const char *format, ...)
{
    char line[128];
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    if (n > 0)
        text_put(text, line, (size_t)n < sizeof(line) ? (uint32_t)n : sizeof(line) - 1);
}

static char *encode_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = c;
        return out;
    }
    if (c < 0x800) {
        *out++ = 0xC0 | c >> 6;
    } else {
        if (c < 0x10000) {
            *out++ = 0xE0 | c >> 12;
        } else {
            *out++ = 0xF0 | c >> 18;
            *out++ = 0x80 | (c >> 12 & 0x3F);
        }
        *out++ = 0x80 | (c >> 6 & 0x3F);
    }
    *out++ = 0x80 | (c & 0x3F);
    return out;
}

void text_put_utf16(Text *text, const uint16_t *units, uint32_t n)
{
    char *out = text->at + text->length;
    uint32_t room = (text->capacity - text->length) / UTF8_MAX, i, c;

    for (i = 0; i < n && i < room; i++) {
        c = units[i];
        if ((c & 0xFC00) == 0xD800 && i + 1 < n && (units[i + 1] & 0xFC00) == 0xDC00)
            c = 0x10000 + ((c & 0x3FF) << 10) + (units[++i] & 0x3FF);
        else if ((c & 0xF800) == 0xD800)
            c = 0xFFFD;
        out = encode_utf8(out, c);
    }
    text->length = out - text->at;
    if (i < n)
        text->overflowed = true;
}

uint32_t text_put_string(Text *text, JSValueConst string, uint32_t max)
{
    uint16_t chunk[256];
    uint32_t total = peek_text_length(string), end = total < max ? total : max;
    uint32_t done = 0, n;

    while (done < end) {
        n = (text->capacity - text->length) / UTF8_MAX;
        n = n < 256 ? n : 256;
        n = peek_text_copy(string, done, chunk, end - done < n ? end - done : n);
        if (n && (chunk[n - 1] & 0xFC00) == 0xD800 && done + n < total)
            n--; /* a surrogate pair stays together, or stays out */
        if (n == 0)
            break;
        text_put_utf16(text, chunk, n);
        done += n;
    }
    return total - done;
}

uint32_t text_width(const char *bytes, uint32_t n)
{
    uint32_t i, width = 0;

    for (i = 0; i < n; i++)
        width += ((uint8_t)bytes[i] & 0xC0) != 0x80;
    return width;
}

void text_cut(Text *text, uint32_t max)
{
    if (text->length <= max)
        return;
    while (max > 0 && ((uint8_t)text->at[max] & 0xC0) == 0x80)
        max--;
    text->length = max;
    text->overflowed = true;
}
