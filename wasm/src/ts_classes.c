/* Classes: heritage, members, and the fields that parameter properties declare. */
#include "ts_parser.h"

struct member {
    struct ts_origin from;
    bool after_open; /* the member before ended without `;` */
    bool is_static, generator, vanishes;
    struct ts_token key;
};

struct class_state {
    uint32_t inside; /* after `{` */
    bool open;       /* the latest member ended without `;` */
};

/* this.a = a for each, at the end of the token before. */
void ts_assign_properties(struct ts_parser *p, const struct ts_constructor *c, char separator)
{
    uint32_t from = p->texts.count;
    for (uint32_t i = 0; i < c->count; i++)
        ts_text_format(p, separator == ',' ? ",this.%=%" : "this.%=%;", p->names.at[c->first + i]);
    ts_edit(p, p->prev_end, p->prev_end, from, p->texts.count - from);
}

static void declare_fields(struct ts_parser *p, const struct ts_constructor *c, uint32_t inside)
{
    uint32_t from = p->texts.count;
    for (uint32_t i = 0; i < c->count; i++)
        ts_text_format(p, "%;", p->names.at[c->first + i]);
    if (c->count)
        ts_edit(p, inside, inside, from, p->texts.count - from);
}

/* The word at tok modifies the member that follows. */
static bool is_modifier(struct ts_parser *p)
{
    bool needs_same_line = true, takes_star = true;
    switch (p->tok.word) {
    case W_GET:
    case W_SET:
        takes_star = false;
        needs_same_line = false;
        break;
    case W_STATIC:
        needs_same_line = false;
        break;
    case W_PUBLIC:
    case W_PRIVATE:
    case W_PROTECTED:
    case W_ABSTRACT:
    case W_OVERRIDE:
    case W_READONLY:
    case W_DECLARE:
    case W_ACCESSOR:
    case W_ASYNC:
        break;
    default:
        return false;
    }
    struct ts_token after = ts_peek(p);
    if (after.newline && needs_same_line)
        return false;
    return after.kind == T_NAME || after.kind == T_STRING || after.kind == T_NUMBER || after.kind == T_PRIVATE ||
           after.kind == '[' || (after.kind == '*' && takes_star) || (after.kind == '{' && p->tok.word == W_STATIC);
}

/* Blanks the modifiers JavaScript does not have. */
static void modifiers(struct ts_parser *p, struct member *m)
{
    for (; is_modifier(p); ts_next(p)) {
        switch (p->tok.word) {
        case W_STATIC:
            m->is_static = true;
            continue;
        case W_GET:
        case W_SET:
        case W_ACCESSOR:
        case W_ASYNC:
            continue;
        case W_ABSTRACT:
        case W_DECLARE:
            m->vanishes = true;
            break;
        default:
            break;
        }
        ts_replace(p, p->tok.start, p->tok.end, m->after_open && p->tok.start == m->from.start ? ";" : "");
    }
}

static bool index_signature_follows(struct ts_parser *p)
{
    if (p->tok.kind != '[')
        return false;
    struct ts_mark mark = ts_mark(p);
    ts_next(p);
    bool named = ts_identifier(&p->tok);
    ts_next(p);
    bool found = named && p->tok.kind == ':';
    ts_rewind(p, &mark);
    return found;
}

static void member_key(struct ts_parser *p, struct member *m)
{
    m->generator = ts_accept(p, '*');
    m->key = p->tok;
    switch (p->tok.kind) {
    case '[':
        ts_computed_key(p);
        break;
    case T_NAME:
    case T_STRING:
    case T_NUMBER:
    case T_PRIVATE:
        ts_next(p);
        break;
    default:
        ts_fail_token(p, NULL);
    }
    if (p->tok.kind == '?' || p->tok.kind == '!') {
        ts_blank(p, p->tok.start, p->tok.end);
        ts_next(p);
    }
}

/* The end of a field or bodiless method. True if no `;` is there. */
static bool member_end(struct ts_parser *p)
{
    if (ts_accept(p, ';'))
        return false;
    if (p->tok.kind != '}' && !p->tok.newline)
        ts_fail_token(p, ";");
    return true;
}

static void method(struct ts_parser *p, struct member *m, struct class_state *c)
{
    struct ts_constructor constructor = {0};
    uint32_t names = p->names.count;
    bool constructs = m->key.word == W_CONSTRUCTOR && !m->is_static;
    bool has_body = ts_signature_and_body(p, m->generator, constructs ? &constructor : NULL);
    if (has_body && constructs)
        declare_fields(p, &constructor, c->inside);
    if (p->names.count > names)
        p->names.count = names;
    if (!has_body) {
        member_end(p);
        m->vanishes = true;
    }
    c->open = false;
}

/* A bare field with one of these names would swallow the next member. */
static bool reads_on(int word)
{
    return word == W_GET || word == W_SET || word == W_STATIC || word == W_ASYNC || word == W_ACCESSOR;
}

static void field(struct ts_parser *p, struct member *m, struct class_state *c)
{
    bool has_value = false;
    if (p->tok.kind == ':')
        ts_blank_annotation(p);
    if (ts_accept(p, '=')) {
        has_value = true;
        ts_assignment(p);
    }
    uint32_t end = p->prev_end;
    c->open = member_end(p);
    if (c->open && !has_value && reads_on(m->key.word) && end != m->key.end)
        ts_insert(p, m->key.end, ";");
}

static void index_signature(struct ts_parser *p)
{
    ts_index_signature(p);
    if (ts_accept(p, ':'))
        ts_type(p);
    member_end(p);
}

static void class_member(struct ts_parser *p, struct class_state *c)
{
    struct member m = {.from = ts_origin(p), .after_open = c->open};
    if (p->tok.kind == '@')
        ts_refuse_decorator(p);
    modifiers(p, &m);
    if (m.is_static && p->tok.kind == '{') {
        ts_body(p, false);
        c->open = false;
        return;
    }
    if (index_signature_follows(p)) {
        index_signature(p);
        m.vanishes = true;
    } else {
        member_key(p, &m);
        if (p->tok.kind == '(' || p->tok.kind == '<')
            method(p, &m, c);
        else
            field(p, &m, c);
    }
    if (m.vanishes) {
        ts_erase_statement(p, &m.from);
        c->open = false;
    }
}

static void class_body(struct ts_parser *p)
{
    struct class_state c = {.inside = p->tok.end};
    struct ts_context saved = p->ctx;
    p->ctx = (struct ts_context){.scope = ++p->last_id};
    ts_expect(p, '{', "{");
    while (p->tok.kind != '}' && p->status == TS_OK) {
        if (ts_accept(p, ';'))
            c.open = false;
        else
            class_member(p, &c);
    }
    p->ctx = saved;
    ts_expect(p, '}', "}");
}

static void implements_clause(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_next(p);
    do
        ts_type(p);
    while (ts_accept(p, ','));
    ts_blank(p, start, p->prev_end);
}

static bool class_name_follows(struct ts_parser *p)
{
    if (p->tok.word == W_IMPLEMENTS) {
        struct ts_token after = ts_peek(p);
        return after.kind != T_NAME;
    }
    return ts_identifier(&p->tok);
}

/* At `class`. */
void ts_class(struct ts_parser *p)
{
    if (ts_enter(p)) {
        ts_next(p);
        if (class_name_follows(p))
            ts_next(p);
        ts_blank_type_parameters(p);
        if (ts_accept_word(p, W_EXTENDS)) {
            ts_left_hand_side(p);
            ts_blank_type_arguments(p);
        }
        if (p->tok.word == W_IMPLEMENTS && p->tok.kind == T_NAME)
            implements_clause(p);
        class_body(p);
    }
    ts_leave(p);
}

void ts_class_declaration(struct ts_parser *p)
{
    struct ts_token name = ts_peek(p);
    if (ts_identifier(&name) && name.word != W_IMPLEMENTS)
        ts_declare(p, (struct ts_span){name.start, name.end});
    ts_class(p);
}
