/* Entry of the TypeScript stripper: one parser on the stack, one pass, one result. */
#include "ts_parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lookahead reads at most this far past the end. */
#define PADDING 8

void ts_out_of_memory(struct ts_parser *p)
{
    if (p->status != TS_LIMIT) {
        p->status = TS_LIMIT;
        p->error_at = p->tok.start;
        snprintf(p->message, sizeof((struct ts_result *)0)->message, "Out of memory while reading TypeScript");
    }
    p->tok.kind = T_EOF;
    p->tok.word = W_NONE;
}

/* Makes room for count items. False, and the parse is over, when there is none. */
bool ts_reserve(struct ts_parser *p, void **at, uint32_t *room, uint32_t count, size_t size)
{
    if (count <= *room)
        return true;
    uint32_t wanted = *room ? *room * 2 : 64;
    if (wanted < count)
        wanted = count;
    void *grown = wanted < (1u << 31) / size ? realloc(*at, wanted * size) : NULL;
    if (!grown) {
        ts_out_of_memory(p);
        return false;
    }
    *at = grown;
    *room = wanted;
    return true;
}

void ts_fail(struct ts_parser *p, uint32_t at, const char *message)
{
    if (p->status == TS_OK) {
        p->status = TS_SYNTAX_ERROR;
        p->error_at = at;
        snprintf(p->message, sizeof((struct ts_result *)0)->message, "%s", message);
    }
    p->tok.kind = T_EOF;
    p->tok.word = W_NONE;
}

/* Cuts a token for a message without splitting a character. */
static int shown_length(const struct ts_parser *p)
{
    uint32_t len = p->tok.end - p->tok.start;
    if (len > 40) {
        len = 40;
        while (len && ((unsigned char)p->src[p->tok.start + len] & 0xC0) == 0x80)
            len--;
    }
    for (uint32_t i = 0; i < len; i++)
        if ((unsigned char)p->src[p->tok.start + i] < ' ')
            len = i;
    return (int)len;
}

void ts_fail_token(struct ts_parser *p, const char *expected)
{
    char message[160], found[64];
    if (p->status != TS_OK)
        return;
    if (p->tok.kind == T_EOF)
        snprintf(found, sizeof found, "end of input");
    else
        snprintf(found, sizeof found, "token '%.*s'", shown_length(p), p->src + p->tok.start);
    if (expected)
        snprintf(message, sizeof message, "Expected '%s' before %s", expected, found);
    else
        snprintf(message, sizeof message, "Unexpected %s", found);
    ts_fail(p, p->tok.start, message);
}

bool ts_enter(struct ts_parser *p)
{
    if (++p->depth <= TS_MAX_DEPTH && p->status == TS_OK)
        return true;
    if (p->status == TS_OK) {
        ts_fail(p, p->tok.start, "Nested too deeply");
        p->status = TS_LIMIT;
    }
    return false;
}

void ts_leave(struct ts_parser *p)
{
    p->depth--;
}

struct ts_mark ts_mark(const struct ts_parser *p)
{
    return (struct ts_mark){
        .tok = p->tok,
        .prev_end = p->prev_end,
        .edits = p->edits.count,
        .texts = p->texts.count,
        .names = p->names.count,
        .specifiers = p->specifiers.count,
        .pending = p->pending.count,
        .ctx = p->ctx,
        .depth = p->depth,
    };
}

/* Undoes everything since mark, a syntax error included. False when a limit was hit. */
bool ts_rewind(struct ts_parser *p, const struct ts_mark *mark)
{
    if (p->status == TS_LIMIT)
        return false;
    p->status = TS_OK;
    p->tok = mark->tok;
    p->prev_end = mark->prev_end;
    p->edits.count = mark->edits;
    p->texts.count = mark->texts;
    p->names.count = mark->names;
    p->specifiers.count = mark->specifiers;
    p->pending.count = mark->pending;
    p->ctx = mark->ctx;
    p->depth = mark->depth;
    return true;
}

bool ts_bit(const uint8_t *bits, uint32_t at)
{
    return bits && (bits[at >> 3] >> (at & 7) & 1);
}

void ts_set_bit(struct ts_parser *p, uint8_t **bits, uint32_t at)
{
    if (!*bits)
        *bits = calloc(p->len / 8 + 1, 1);
    if (!*bits)
        ts_out_of_memory(p);
    else
        (*bits)[at >> 3] |= (uint8_t)(1 << (at & 7));
}

const char ts_no_jsx[] = "JSX is not supported: only plain TypeScript runs here";

/* A cast that has a closing tag somewhere was JSX, whatever failed first. */
static void blame_jsx(struct ts_parser *p)
{
    uint32_t name = p->cast_at, len = 0;
    if (!name || p->status != TS_SYNTAX_ERROR)
        return;
    while (p->src[name + len] && !strchr(" \t\r\n<>/=", p->src[name + len]))
        len++;
    for (uint32_t at = name; at + len + 2 < p->len; at++) {
        if (p->src[at] != '<' || p->src[at + 1] != '/' || memcmp(p->src + at + 2, p->src + name, len) != 0)
            continue;
        p->status = TS_OK;
        ts_fail(p, name - 1, ts_no_jsx);
        return;
    }
}

/* UTF-16 units of the text before at, from the start of its line. */
static int units_between(const struct ts_parser *p, uint32_t start, uint32_t at)
{
    int units = 0;
    for (; start < at; start++) {
        unsigned char c = (unsigned char)p->src[start];
        units += (c & 0xC0) == 0x80 ? 0 : c >= 0xF0 ? 2 : 1;
    }
    return units;
}

/* Fills in line and column of the error. Line ends as QuickJS counts them. */
static void locate(const struct ts_parser *p, struct ts_result *out)
{
    uint32_t line_start = 0;
    out->line = 1;
    for (uint32_t i = 0; i < p->error_at; i++) {
        const unsigned char *c = (const unsigned char *)p->src + i;
        bool separator = c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9);
        if (c[0] != '\n' && !(c[0] == '\r' && c[1] != '\n') && !separator)
            continue;
        i += separator ? 2 : 0;
        out->line++;
        line_start = i + 1;
    }
    out->column = units_between(p, line_start, p->error_at) + 1;
}

static void release(struct ts_parser *p)
{
    free(p->src);
    free(p->edits.at);
    free(p->texts.at);
    free(p->names.at);
    free(p->specifiers.at);
    free(p->pending.at);
    free(p->table);
    free(p->not_type_arguments);
    free(p->not_arrow);
}

/* Only with an import can it matter which names are used. */
static bool mentions_import(const struct ts_parser *p)
{
    const char *at = p->src, *end = p->src + p->len;
    while ((at = memchr(at, 'i', (size_t)(end - at))) != NULL)
        if (!strncmp(at++, "import", 6))
            return true;
    return false;
}

static void parse(struct ts_parser *p)
{
    p->tracks_uses = mentions_import(p);
    ts_start(p);
    ts_statements(p, T_EOF);
    if (p->status == TS_OK)
        ts_settle_modules(p);
}

int ts_strip(const char *src, size_t len, struct ts_result *out)
{
    struct ts_parser p = {.message = out->message};
    *out = (struct ts_result){0};
    if (len >= (1u << 30) || !(p.src = malloc(len + PADDING))) {
        ts_out_of_memory(&p);
        return TS_LIMIT;
    }
    memcpy(p.src, src, len);
    memset(p.src + len, 0, PADDING);
    p.len = (uint32_t)len;
    parse(&p);
    blame_jsx(&p);
    if (p.status == TS_OK)
        p.status = ts_write(&p, out);
    if (p.status != TS_OK)
        locate(&p, out);
    release(&p);
    return p.status;
}
