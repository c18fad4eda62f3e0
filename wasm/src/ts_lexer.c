/* Tokens of JavaScript and TypeScript, one at a time, re-readable.
 *
 * The parser asks for what text alone cannot decide: whether `/` opens a
 * regular expression, whether `>` goes on, where a template resumes after `}`.
 * Bytes above 0x7F that are no white space count as letters; QuickJS judges
 * them, and everything else that needs no knowledge of types.
 */
#include "ts_parser.h"

#include <string.h>

/* Bytes of white space outside ASCII at text, or 0. Sets newline for U+2028 and U+2029. */
static uint32_t wide_space(const unsigned char *c, bool *newline)
{
    if (c[0] == 0xC2)
        return c[1] == 0xA0 ? 2 : 0;
    if (c[0] == 0xE2 && c[1] == 0x80) {
        *newline |= c[2] == 0xA8 || c[2] == 0xA9;
        return c[2] <= 0x8A || c[2] == 0xA8 || c[2] == 0xA9 || c[2] == 0xAF ? 3 : 0;
    }
    bool space = (c[0] == 0xEF && c[1] == 0xBB && c[2] == 0xBF) || (c[0] == 0xE1 && c[1] == 0x9A && c[2] == 0x80) ||
                 (c[0] == 0xE2 && c[1] == 0x81 && c[2] == 0x9F) || (c[0] == 0xE3 && c[1] == 0x80 && c[2] == 0x80);
    return space ? 3 : 0;
}

static bool name_byte(unsigned char c)
{
    return (unsigned)((c | 32) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '_' || c == '$' || c >= 0x80 || c == '\\';
}

static uint32_t name_end(const struct ts_parser *p, uint32_t at)
{
    const unsigned char *src = (const unsigned char *)p->src;
    bool newline = false;
    for (;;) {
        if (src[at] == '\\' && src[at + 1] == 'u' && src[at + 2] == '{')
            while (src[at] && src[at] != '}' && src[at] != '\n')
                at++;
        else if (!name_byte(src[at]) || (src[at] >= 0x80 && wide_space(src + at, &newline)))
            return at;
        at++;
    }
}

bool ts_line_break_in(const struct ts_parser *p, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++) {
        const unsigned char *c = (const unsigned char *)p->src + i;
        if (*c == '\n' || *c == '\r' || (*c == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9)))
            return true;
    }
    return false;
}

static uint32_t line_end(const struct ts_parser *p, uint32_t at)
{
    while (at < p->len && !ts_line_break_in(p, at, at + 1))
        at++;
    return at;
}

static uint32_t block_comment_end(struct ts_parser *p, uint32_t at)
{
    const char *found = p->src + at + 2;
    const char *limit = p->src + p->len;
    while ((found = memchr(found, '*', (size_t)(limit - found))) != NULL && found[1] != '/')
        found++;
    if (!found) {
        ts_fail(p, at, "Unterminated comment");
        return p->len;
    }
    uint32_t end = (uint32_t)(found - p->src) + 2;
    if (ts_line_break_in(p, at, end))
        p->tok.newline = true;
    return end;
}

/* Skips white space and comments; notes whether a line ended. */
static uint32_t skip_space(struct ts_parser *p, uint32_t at)
{
    p->tok.newline = false;
    for (;;) {
        unsigned char c = (unsigned char)p->src[at];
        uint32_t wide;
        if (c == '\n' || c == '\r')
            p->tok.newline = true, at++;
        else if (c == ' ' || c == '\t' || c == '\v' || c == '\f')
            at++;
        else if (c == '/' && p->src[at + 1] == '/')
            at = line_end(p, at);
        else if (c == '/' && p->src[at + 1] == '*')
            at = block_comment_end(p, at);
        else if (c >= 0x80 && (wide = wide_space((const unsigned char *)p->src + at, &p->tok.newline)))
            at += wide;
        else
            return at;
    }
}

static uint32_t number_end(const struct ts_parser *p, uint32_t at)
{
    const char *src = p->src;
    bool radix = src[at] == '0' && strchr("xXoObB", src[at + 1]) && src[at + 1];
    bool fraction = false;
    for (;; at++) {
        char c = src[at];
        bool sign = (c == '+' || c == '-') && !radix && (src[at - 1] == 'e' || src[at - 1] == 'E');
        if (c == '.' && !fraction && !radix)
            fraction = true;
        else if (!sign && !((unsigned)((c | 32) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '_'))
            return at;
        if ((c == 'e' || c == 'E') && !radix)
            fraction = true;
    }
}

static uint32_t string_end(struct ts_parser *p, uint32_t start)
{
    char quote = p->src[start];
    uint32_t at = start + 1;
    while (at < p->len && p->src[at] != quote) {
        if (p->src[at] == '\n' || p->src[at] == '\r')
            break;
        if (p->src[at] == '\\')
            at += p->src[at + 1] == '\r' && p->src[at + 2] == '\n' ? 2 : 1;
        at++;
    }
    if (at < p->len && p->src[at] == quote)
        return at + 1;
    ts_fail(p, start, "Unterminated string literal");
    return p->len;
}

/* Reads template characters from at, which follows the opening '`' or a '}'. */
static void scan_template(struct ts_parser *p, uint32_t at)
{
    for (; at < p->len; at++) {
        if (p->src[at] == '\\')
            at++;
        else if (p->src[at] == '`') {
            p->tok.kind = T_TEMPLATE;
            p->tok.end = at + 1;
            return;
        } else if (p->src[at] == '$' && p->src[at + 1] == '{') {
            p->tok.kind = T_TEMPLATE_HEAD;
            p->tok.end = at + 2;
            return;
        }
    }
    ts_fail(p, p->tok.start, "Unterminated template literal");
}

/* After the expression in `${`: resumes at the closing brace. */
void ts_continue_template(struct ts_parser *p)
{
    if (p->tok.kind != '}') {
        ts_fail_token(p, "}");
        return;
    }
    scan_template(p, p->tok.start + 1);
}

struct operator
{
    const char *text;
    int kind;
};

/* Longest first within a first character. */
static const struct operator operators[] = {
    {"...", T_ELLIPSIS}, {"=>", T_ARROW}, {"===", T_EQUALITY}, {"==", T_EQUALITY},
    {"!==", T_EQUALITY}, {"!=", T_EQUALITY}, {"++", T_INCREMENT}, {"+=", T_ASSIGN},
    {"--", T_DECREMENT}, {"-=", T_ASSIGN}, {"**=", T_ASSIGN}, {"**", T_POWER}, {"*=", T_ASSIGN},
    {"/=", T_ASSIGN}, {"%=", T_ASSIGN}, {"<<=", T_ASSIGN}, {"<<", T_SHIFT_LEFT}, {"<=", T_COMPARE},
    {"&&=", T_ASSIGN}, {"&&", T_AND}, {"&=", T_ASSIGN}, {"||=", T_ASSIGN}, {"||", T_OR},
    {"|=", T_ASSIGN}, {"^=", T_ASSIGN}, {"\?\?=", T_ASSIGN}, {"\?\?", T_NULLISH}, {"?.", T_OPTIONAL_DOT},
};

static void scan_operator(struct ts_parser *p)
{
    const char *at = p->src + p->tok.start;
    p->tok.kind = (unsigned char)*at;
    p->tok.end = p->tok.start + 1;
    if (!strchr(".=!+-*/%<&|^?", *at) || !strchr(".=><&|?+-*", at[1]) || !at[1])
        return;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].text[0] != *at || operators[i].text[1] != at[1])
            continue;
        size_t len = strlen(operators[i].text);
        if (strncmp(operators[i].text, at, len) != 0)
            continue;
        if (operators[i].kind == T_OPTIONAL_DOT && (unsigned)(at[2] - '0') < 10)
            continue;
        p->tok.kind = operators[i].kind;
        p->tok.end = p->tok.start + (uint32_t)len;
        return;
    }
}

static void scan_word(struct ts_parser *p, int kind, uint32_t from)
{
    p->tok.kind = kind;
    p->tok.end = name_end(p, from);
    if (kind == T_NAME)
        p->tok.word = ts_word(p, from, p->tok.end);
}

static void scan(struct ts_parser *p, uint32_t from)
{
    uint32_t at = skip_space(p, from);
    unsigned char c = (unsigned char)p->src[at];
    p->tok.start = p->tok.end = at;
    p->tok.word = W_NONE;
    if (p->status != TS_OK || at >= p->len)
        p->tok.kind = T_EOF;
    else if ((unsigned)(c - '0') < 10 || (c == '.' && (unsigned)(p->src[at + 1] - '0') < 10))
        p->tok.kind = T_NUMBER, p->tok.end = number_end(p, at);
    else if (name_byte(c))
        scan_word(p, T_NAME, at);
    else if (c == '#' && name_byte((unsigned char)p->src[at + 1]))
        scan_word(p, T_PRIVATE, at + 1);
    else if (c == '"' || c == '\'')
        p->tok.kind = T_STRING, p->tok.end = string_end(p, at);
    else if (c == '`')
        scan_template(p, at + 1);
    else if (c <= ' ' || c == 0x7F || c == '#')
        ts_fail(p, at, "Unexpected character");
    else
        scan_operator(p);
    if (p->status != TS_OK)
        p->tok.kind = T_EOF;
}

void ts_start(struct ts_parser *p)
{
    bool mark = p->len >= 3 && !memcmp(p->src, "\xEF\xBB\xBF", 3);
    uint32_t from = mark ? 3 : 0;
    ts_index_words(p);
    if (p->src[from] == '#' && p->src[from + 1] == '!')
        from = line_end(p, from);
    scan(p, from);
}

void ts_next(struct ts_parser *p)
{
    p->prev_end = p->tok.end;
    scan(p, p->tok.end);
}

/* The token after tok, which stays current. */
struct ts_token ts_peek(struct ts_parser *p)
{
    struct ts_token here = p->tok, after;
    if (p->status != TS_OK)
        return here;
    scan(p, here.end);
    after = p->tok;
    p->tok = here;
    p->status = TS_OK; /* an error there is found again when it is reached */
    return after;
}

/* In an expression `>` may go on: >>, >>>, >=, >>=, >>>=. */
void ts_join_greater(struct ts_parser *p)
{
    const char *at = p->src + p->tok.start;
    uint32_t len = 1;
    if (p->tok.kind != '>')
        return;
    while (len < 3 && at[len] == '>')
        len++;
    bool equals = at[len] == '=';
    if (len > 1 || equals)
        p->tok.kind = equals ? (len > 1 ? T_ASSIGN : T_COMPARE) : T_SHIFT_RIGHT;
    p->tok.end = p->tok.start + len + equals;
}

/* `<<` where type arguments may start: only the first `<` counts. */
void ts_split_less(struct ts_parser *p)
{
    if (p->tok.kind == T_SHIFT_LEFT) {
        p->tok.kind = '<';
        p->tok.end = p->tok.start + 1;
    }
}

/* tok is `/` or `/=` where an operand is due. */
void ts_as_regex(struct ts_parser *p)
{
    bool in_class = false;
    uint32_t at = p->tok.start + 1;
    for (; at < p->len && !ts_line_break_in(p, at, at + 1); at++) {
        char c = p->src[at];
        if (c == '\\')
            at++;
        else if (c == '[')
            in_class = true;
        else if (c == ']')
            in_class = false;
        else if (c == '/' && !in_class)
            break;
    }
    if (at >= p->len || p->src[at] != '/') {
        ts_fail(p, p->tok.start, "Unterminated regular expression");
        return;
    }
    p->tok.kind = T_REGEX;
    p->tok.end = name_end(p, at + 1);
}
