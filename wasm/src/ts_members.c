/* Members of interfaces and object types, and the shapes of a type that statements blank. */
#include "ts_parser.h"

/* Defaults of destructured parameters: code in a type, read and forgotten. */
void ts_skip_default(struct ts_parser *p)
{
    uint32_t edits = p->edits.count;
    p->ambient++;
    ts_assignment(p);
    p->ambient--;
    if (p->edits.count > edits)
        p->edits.count = edits;
}

/* `[key: T]`, `[K in T as U]` or `[computed]`, with its brackets. */
void ts_index_signature(struct ts_parser *p)
{
    ts_next(p);
    if (p->tok.kind != ']')
        ts_type(p);
    if (ts_accept(p, ':') || ts_accept_word(p, W_IN))
        ts_type(p);
    if (ts_accept_word(p, W_AS))
        ts_type(p);
    ts_expect(p, ']', "]");
}

static bool member_word(const struct ts_parser *p)
{
    switch (p->tok.kind) {
    case T_NAME:
    case T_STRING:
    case T_NUMBER:
    case T_PRIVATE:
    case T_ELLIPSIS:
    case '+':
    case '-':
    case '?':
    case '!':
        return true;
    default:
        return false;
    }
}

/* One member: modifiers, key, parameters, type, in this order, each optional. */
static void type_member(struct ts_parser *p)
{
    while (member_word(p) || p->tok.kind == '[') {
        if (p->tok.kind == '[')
            ts_index_signature(p);
        else
            ts_next(p);
    }
    if (p->tok.kind == '<')
        ts_type_parameters(p);
    if (p->tok.kind == '(') {
        p->ambient++;
        ts_parameters(p);
        p->ambient--;
    }
    if (ts_accept(p, ':'))
        ts_return_type(p);
    if (ts_accept(p, '='))
        ts_skip_default(p);
}

/* `{ … }` of an interface, an object type or a mapped type. */
void ts_type_members(struct ts_parser *p)
{
    uint32_t edits = p->edits.count;
    bool saved = p->no_conditional;
    p->no_conditional = false;
    ts_next(p);
    while (p->tok.kind != '}' && p->status == TS_OK) {
        uint32_t start = p->tok.start;
        type_member(p);
        if (ts_accept(p, ';') || ts_accept(p, ','))
            continue;
        if (p->tok.kind != '}' && (!p->tok.newline || p->tok.start == start))
            ts_fail_token(p, NULL);
    }
    ts_expect(p, '}', "}");
    if (p->edits.count > edits)
        p->edits.count = edits;
    p->no_conditional = saved;
}

/* At `:` before a type. */
void ts_blank_annotation(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_next(p);
    ts_type(p);
    ts_blank(p, start, p->prev_end);
}

void ts_blank_type_parameters(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    if (p->tok.kind != '<')
        return;
    ts_type_parameters(p);
    ts_blank(p, start, p->prev_end);
}

void ts_blank_type_arguments(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_split_less(p);
    if (p->tok.kind != '<')
        return;
    ts_type_arguments(p);
    ts_blank(p, start, p->prev_end);
}
