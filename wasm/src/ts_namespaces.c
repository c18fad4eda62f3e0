/* namespace, rewritten in place as a function around its statements.
 *
 * Exported names stay variables of that function and become members of the
 * object beside their declaration; one that may change becomes an accessor.
 */
#include "ts_parser.h"

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
    ts_entity_header(p, name, exported);
    ts_open_entity(p, &body, name, exported);
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
    ts_entity_footer(p, name, exported);
    if (effect) {
        ts_declare(p, name);
        if (exported && p->ctx.space)
            ts_remember_member(p, p->ctx.space, name);
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
