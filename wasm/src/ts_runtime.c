/* enum and namespace: rewritten as functions that fill an object, in place.
 *
 *   enum A { B, C = f(B) }
 *   var A;(function($ns){var B,C; B=0;$ns["B"]=B;$ns[B]="B"; C = f(B);… })(A||(A={}));
 *
 * Members are local variables of that function, so initialisers refer to one
 * another with no renaming, keep their columns, and run in the cell, never here.
 */
#include "ts_parser.h"

#include <stdio.h>
#include <string.h>

/* A name that the text does not contain, for the object inside bodies. */
const char *ts_inner(struct ts_parser *p)
{
    for (unsigned i = 0; !p->inner[0]; i++) {
        char name[sizeof p->inner];
        const char *at = p->src;
        snprintf(name, sizeof name, i ? "$ns%u" : "$ns", i);
        while ((at = memchr(at, '$', (size_t)(p->src + p->len - at))) != NULL && strncmp(at, name, strlen(name)) != 0)
            at++;
        if (!at)
            memcpy(p->inner, name, sizeof name);
    }
    return p->inner;
}

/* Numbers the parts of one enum or namespace; parts share their members. */
static void open_entity(struct ts_parser *p, struct ts_body *body, struct ts_span name, bool exported)
{
    uint32_t owner = exported && p->ctx.space ? p->ctx.space->entity : p->ctx.scope;
    struct ts_name *entity = ts_remember(p, owner, N_ENTITY, name);
    if (!entity)
        return;
    if (!entity->value)
        entity->value = ++p->last_id;
    body->entity = entity->value;
    struct ts_name *parts = ts_remember(p, body->entity, N_ENTITY, name);
    body->part = parts ? parts->value++ : 0;
    body->scope = ++p->last_id;
}

static void remember_member(struct ts_parser *p, const struct ts_body *body, struct ts_span name)
{
    bool known = ts_find(p, body->entity, N_MEMBER, name) != NULL;
    struct ts_name *member = known ? NULL : ts_remember(p, body->entity, N_MEMBER, name);
    if (member)
        member->value = body->part;
}

/* Text that declares the variable, unless a class, function or earlier part did, and opens the function. */
static void header(struct ts_parser *p, struct ts_span name, bool exported)
{
    if (ts_find(p, p->ctx.scope, N_DECLARED, name)) {
        ts_text(p, ";");
    } else {
        if (exported && !p->ctx.space)
            ts_text(p, "export ");
        ts_text_format(p, p->ctx.in_block ? "let %;" : "var %;", name);
    }
    ts_text_format(p, "(function(@){", name);
}

static void footer(struct ts_parser *p, struct ts_span name, bool exported)
{
    ts_text_format(p, exported && p->ctx.space ? "})(%=@.%||(@.%={}));" : "})(%||(%={}));", name);
}

/* Makes a declared name a member of the namespace around, after the statement just read. */
void ts_export_member(struct ts_parser *p, struct ts_span name, bool may_change)
{
    uint32_t from = p->texts.count;
    remember_member(p, p->ctx.space, name);
    if (may_change)
        ts_text_format(p,
                       ";Object.defineProperty(@,\"%\",{enumerable:true,configurable:true,"
                       "get(){return %},set(@){%=@}});",
                       name);
    else
        ts_text_format(p, ";@.%=%;", name);
    ts_edit(p, p->prev_end, p->prev_end, from, p->texts.count - from);
}

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
        remember_member(p, body, m->name);
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
    header(p, name, exported);
    ts_edit(p, start, p->tok.end, from, p->texts.count - from);
    body.inside = p->tok.end;
    if (!p->ambient)
        open_entity(p, &body, name, exported);
    ts_declare(p, name);
    ts_expect(p, '{', "{");
    enum_members(p, &body);
    from = p->texts.count;
    footer(p, name, exported);
    ts_edit(p, p->tok.start, p->tok.end, from, p->texts.count - from);
    ts_expect(p, '}', "}");
    if (exported && p->ctx.space && !p->ambient)
        remember_member(p, p->ctx.space, name);
}

/* A name that this part declares itself is not borrowed from an earlier one. */
static void return_borrowed(struct ts_parser *p, const struct ts_body *body, uint32_t first_edit)
{
    for (uint32_t i = first_edit; i < p->edits.count && body->borrowed; i++) {
        struct ts_edit *edit = p->edits.at + i;
        bool borrowed = edit->name.end && edit->start == body->inside;
        if (borrowed && ts_find(p, body->scope, N_DECLARED, edit->name))
            edit->text_len = 0;
    }
}

/* Reads the statements of a namespace. True if any of them has an effect. */
static bool namespace_body(struct ts_parser *p, struct ts_body *body)
{
    uint32_t first_edit = p->edits.count;
    struct ts_context saved = p->ctx;
    bool emitted = p->emitted;
    p->ctx = (struct ts_context){.scope = body->scope, .space = body};
    p->emitted = false;
    body->inside = p->tok.end;
    ts_expect(p, '{', "{");
    ts_statements(p, '}');
    bool effect = p->emitted;
    p->emitted = emitted;
    p->ctx = saved;
    return_borrowed(p, body, first_edit);
    return effect;
}

/* At a name of `A.B.C {`. Headers have been written from headers on; footers are written last. */
static bool namespace_part(struct ts_parser *p, uint32_t start, uint32_t headers, uint32_t *footers, bool exported)
{
    struct ts_body body = {.outer = p->bodies};
    struct ts_span name = {p->tok.start, p->tok.end};
    bool effect = false;
    if (!ts_identifier(&p->tok))
        ts_fail_token(p, NULL);
    if (!ts_enter(p)) {
        ts_leave(p);
        return false;
    }
    ts_next(p);
    header(p, name, exported);
    open_entity(p, &body, name, exported);
    p->bodies = &body;
    if (ts_accept(p, '.')) {
        struct ts_context saved = p->ctx;
        p->ctx = (struct ts_context){.scope = body.scope, .space = &body};
        effect = namespace_part(p, start, headers, footers, true);
        p->ctx = saved;
    } else {
        ts_edit(p, start, p->tok.end, headers, p->texts.count - headers);
        effect = namespace_body(p, &body);
        *footers = p->texts.count;
    }
    p->bodies = body.outer;
    footer(p, name, exported);
    if (effect) {
        ts_declare(p, name);
        if (exported && p->ctx.space)
            remember_member(p, p->ctx.space, name);
    }
    ts_leave(p);
    return effect;
}

/* `declare namespace A.B { … }`, `declare module "x" { … }`, `declare global { … }`. */
static void ambient_namespace(struct ts_parser *p)
{
    if (p->tok.word != W_GLOBAL)
        ts_next(p);
    do
        ts_next(p);
    while (ts_accept(p, '.'));
    if (p->tok.kind == '{')
        ts_block(p);
    else
        ts_semicolon(p);
}

/* At `namespace`, `module` or `global`. False if nothing of it is left. */
bool ts_namespace(struct ts_parser *p, const struct ts_origin *from, bool exported)
{
    uint32_t headers = p->texts.count, footers = headers;
    if (p->ambient) {
        ambient_namespace(p);
        return false;
    }
    ts_next(p);
    if (p->tok.kind == T_STRING)
        ts_fail(p, p->tok.start, "Only 'declare module' can have a quoted name");
    if (namespace_part(p, from->start, headers, &footers, exported)) {
        ts_edit(p, p->tok.start, p->tok.end, footers, p->texts.count - footers);
        ts_expect(p, '}', "}");
        return true;
    }
    ts_expect(p, '}', "}");
    ts_erase_statement(p, from);
    return false;
}
