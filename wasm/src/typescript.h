/* TypeScript in, JavaScript out, in place.
 *
 * Types are overwritten with white space of the same width, so every line keeps
 * its number and every token its column, in bytes and in UTF-16 units. Only what
 * follows a rewritten construct (enum, namespace, parameter property) on its own
 * line may move. Nothing is evaluated, nothing is reprinted.
 *
 * Security: reads hostile text. Depth, memory and time are bounded: recursion
 * stops at TS_MAX_DEPTH, every allocation may fail, and no input makes the
 * parser look at a stretch of text more than a bounded number of times.
 */
#ifndef TOOLCELL_TYPESCRIPT_H
#define TOOLCELL_TYPESCRIPT_H

#include <stddef.h>

enum {
    TS_OK = 0,
    TS_SYNTAX_ERROR = 1, /* line, column and message say where and what */
    TS_LIMIT = 2         /* out of memory, or nested deeper than TS_MAX_DEPTH */
};

struct ts_result {
    char *text;  /* malloc'd and NUL-terminated; NULL unless TS_OK; the caller frees it */
    size_t len;
    int line;    /* 1-based; 0 when no place is to blame */
    int column;  /* 1-based, in UTF-16 units, as in the cell's backtraces */
    char message[160];
};

int ts_strip(const char *src, size_t len, struct ts_result *out);

#endif
