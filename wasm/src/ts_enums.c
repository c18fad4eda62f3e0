/* enum, rewritten in place as a function that fills an object:
 *
 *   enum A { B, C = f(B) }
 *   var A;(function($ns){var B,C; B=0;$ns["B"]=B;$ns[B]="B"; C = f(B);… })(A||(A={}));
 *
 * Members are local variables of that function, so initialisers refer to one
 * another with no renaming, keep their columns, and run in the cell, never here.
 */
#include "ts_parser.h"

#include <stdio.h>

struct member {
    struct ts_token key;
    struct ts_span name; /* without quotes */
    bool local;          /* a variable of that name stands for it */
    bool is_string;      /* the value is a string, plain to see */
    bool is_number;
    bool is_known;
    long value; /* if known */
};

/* Only letters, digits, _ and $, and no word that cannot be a variable everywhere. */
static bool plain_name(const struct ts_parser *p, struct ts_span name)
{
    int word = ts_word(p, name.start, name.end);
    if (name.start == name.end || (word != W_NONE && word <= W_LAST_RESTRICTED))
        return false;
    for (uint32_t i = name.start; i < name.end; i++) {
        unsigned char c = (unsigned char)p->src[i];
        bool digit = (unsigned)(c - '0') < 10;
        if ((unsigned)((c | 32) - 'a') >= 26 && c != '_' && c != '$' && c < 0x80 && !(digit && i > name.start))
            return false;
    }
    return true;
}

/* The member as an expression. */
static void text_reference(struct ts_parser *p, const struct member *m)
{
    if (m->local)
        ts_text_span(p, m->name);
    else if (m->key.kind == T_NAME)
        ts_text_format(p, "@[\"%\"]", m->name);
    else
        ts_text_format(p, "@[%]", (struct ts_span){m->key.start, m->key.end});
}

/* The member's name as a string literal. */
static void text_key(struct ts_parser *p, const struct member *m)
{
    if (m->local || m->key.kind == T_NAME)
        ts_text_format(p, "\"%\"", m->name);
    else
        ts_text_span(p, (struct ts_span){m->key.start, m->key.end});
}

static void enum_key(struct ts_parser *p, struct member *m)
{
    bool bracket = p->tok.kind == '[';
    uint32_t start = p->tok.start;
    if (bracket)
        ts_next(p);
    m->key = p->tok;
    if (p->tok.kind == T_NUMBER)
        ts_fail(p, p->tok.start, "An enum member cannot have a numeric name");
    else if (p->tok.kind != T_NAME && p->tok.kind != T_STRING && p->tok.kind != T_TEMPLATE)
        ts_fail_token(p, NULL);
    uint32_t quote = p->tok.kind != T_NAME;
    m->name = (struct ts_span){p->tok.start + quote, p->tok.end - quote};
    m->local = p->status == TS_OK && plain_name(p, m->name);
    ts_next(p);
    if (bracket)
        ts_expect(p, ']', "]");
    uint32_t from = p->texts.count;
    text_reference(p, m);
    if (m->local && !quote)
        return;
    ts_edit(p, start, p->prev_end, from, p->texts.count - from);
}

/* `= value`, or what follows from the member before. */
static void enum_value(struct ts_parser *p, struct member *m, const struct member *before)
{
    char number[32];
    if (!ts_accept(p, '=')) {
        if (before && before->is_string)
            ts_fail(p, m->key.start, "This enum member needs a value: the one before it is a string");
        m->is_number = true;
        m->is_known = !before || before->is_known;
        m->value = before && before->is_known ? before->value + 1 : 0;
        snprintf(number, sizeof number, m->is_known ? "=%ld" : "=", m->value);
        ts_text(p, number);
        if (!m->is_known) {
            text_reference(p, before);
            ts_text(p, "+1");
        }
        return;
    }
    struct ts_token first = p->tok;
    bool negative = ts_accept(p, '-');
    struct ts_token digits = p->tok;
    if (negative)
        p->tok = first, p->prev_end = first.start;
    ts_assignment(p);
    m->is_string = (first.kind == T_STRING || first.kind == T_TEMPLATE) && p->prev_end == first.end;
    m->is_number = digits.kind == T_NUMBER && p->prev_end == digits.end;
    m->is_known = m->is_number && digits.end - digits.start < 10;
    for (uint32_t i = digits.start; i < digits.end && m->is_known; i++) {
        unsigned digit = (unsigned)(p->src[i] - '0');
        m->is_known = digit < 10 && !(m->value == 0 && i > digits.start);
        m->value = m->value * 10 + (long)digit;
    }
    m->value = negative ? -m->value : m->value;
}

/* Code after a member that puts it, and its reverse if it is a number, into the object. */
static void enum_assignments(struct ts_parser *p, const struct member *m)
{
    ts_text(p, ";");
    if (m->local) {
        ts_text_format(p, "@[\"%\"]=%;", m->name);
    }
    if (m->is_string)
        return;
    if (!m->is_number) {
        ts_text(p, "typeof ");
        text_reference(p, m);
        ts_text(p, "===\"string\"||(");
    }
    ts_text_format(p, "@[", m->name);
    text_reference(p, m);
    ts_text(p, "]=");
    text_key(p, m);
    ts_text(p, m->is_number ? ";" : ");");
}

static void enum_member(struct ts_parser *p, struct ts_body *body, struct member *m, const struct member *before)
{
    enum_key(p, m);
    bool has_value = p->tok.kind == '=';
    uint32_t from = p->texts.count;
    enum_value(p, m, before);
    if (has_value)
        from = p->texts.count;
    enum_assignments(p, m);
    ts_edit(p, p->prev_end, p->prev_end, from, p->texts.count - from);
    if (m->local)
        TS_PUSH(p, p->names, m->name);
    if (!p->ambient)
        ts_remember_member(p, body, m->name);
    if (p->tok.kind == '}')
        return;
    ts_blank(p, p->tok.start, p->tok.end);
    ts_expect(p, ',', "}");
}

static void declare_members(struct ts_parser *p, uint32_t first, uint32_t inside)
{
    uint32_t from = p->texts.count;
    for (uint32_t i = first; i < p->names.count; i++)
        ts_text_format(p, i == first ? "var %" : ",%", p->names.at[i]);
    if (p->names.count > first)
        ts_text(p, ";");
    ts_edit(p, inside, inside, from, p->texts.count - from);
    if (p->names.count > first)
        p->names.count = first;
}

static void enum_members(struct ts_parser *p, struct ts_body *body)
{
    struct member members[2] = {{.is_known = true}};
    const struct member *before = NULL;
    uint32_t names = p->names.count;
    struct ts_context saved = p->ctx;
    p->ctx = (struct ts_context){.scope = body->scope};
    body->outer = p->bodies;
    p->bodies = body;
    for (unsigned i = 0; p->tok.kind != '}' && p->status == TS_OK; i ^= 1) {
        members[i] = (struct member){0};
        enum_member(p, body, &members[i], before);
        before = &members[i];
    }
    declare_members(p, names, body->inside);
    p->bodies = body->outer;
    p->ctx = saved;
}

/* At `enum`; start is where the statement began. */
void ts_enum(struct ts_parser *p, uint32_t start, bool exported)
{
    struct ts_body body = {0};
    ts_next(p);
    struct ts_span name = {p->tok.start, p->tok.end};
    if (!ts_identifier(&p->tok))
        ts_fail_token(p, NULL);
    ts_next(p);
    uint32_t from = p->texts.count;
    ts_entity_header(p, name, exported);
    ts_edit(p, start, p->tok.end, from, p->texts.count - from);
    body.inside = p->tok.end;
    if (!p->ambient)
        ts_open_entity(p, &body, name, exported);
    ts_declare(p, name);
    ts_expect(p, '{', "{");
    enum_members(p, &body);
    from = p->texts.count;
    ts_entity_footer(p, name, exported);
    ts_edit(p, p->tok.start, p->tok.end, from, p->texts.count - from);
    ts_expect(p, '}', "}");
    if (exported && p->ctx.space && !p->ambient)
        ts_remember_member(p, p->ctx.space, name);
}
