/* export declarations. */
#include "ts_parser.h"

/* At `{` of `export { … }`. */
static bool export_list(struct ts_parser *p, const struct ts_origin *from, bool type_only)
{
    struct ts_pending list = {.kind = P_EXPORT, .first = p->specifiers.count};
    ts_specifier_list(p, false);
    list.had_from = p->tok.word == W_FROM;
    if (list.had_from)
        ts_source_clause(p);
    else
        ts_semicolon(p);
    if (type_only || p->ambient) {
        ts_erase_statement(p, from);
        return false;
    }
    list.whole = (struct ts_span){from->start, p->prev_end};
    list.count = p->specifiers.count - list.first;
    for (uint32_t i = 0; i < list.count && !list.had_from && p->status == TS_OK; i++)
        if (!p->specifiers.at[list.first + i].type_only)
            ts_use(p, p->specifiers.at[list.first + i].name);
    TS_PUSH(p, p->pending, list);
    return true;
}

/* At `*` of `export * from`. */
static bool export_all(struct ts_parser *p, const struct ts_origin *from, bool type_only)
{
    ts_next(p);
    if (ts_accept_word(p, W_AS))
        ts_next(p);
    ts_source_clause(p);
    if (!type_only)
        return true;
    ts_erase_statement(p, from);
    return false;
}

static bool export_equals(struct ts_parser *p)
{
    if (!p->ambient)
        ts_fail(p, p->tok.start, "'export =' is not supported: use export default");
    ts_next(p);
    ts_expression(p);
    ts_semicolon(p);
    return true;
}

static bool export_default_value(struct ts_parser *p, const struct ts_origin *from)
{
    struct ts_token first = p->tok;
    ts_assignment(p);
    bool is_name = ts_identifier(&first) && p->prev_end == first.end && !p->ambient;
    ts_semicolon(p);
    if (is_name)
        TS_PUSH(p, p->pending,
                (struct ts_pending){P_EXPORT_DEFAULT, {from->start, p->prev_end}, ts_span_of(&first), {0, 0}, 0, 0, false});
    return true;
}

/* After `export default`. */
static bool export_default(struct ts_parser *p, const struct ts_origin *from)
{
    struct ts_token after = ts_peek(p);
    if (p->tok.word == W_CLASS) {
        ts_class_declaration(p);
        return true;
    }
    if (p->tok.word == W_FUNCTION || (p->tok.word == W_ASYNC && after.word == W_FUNCTION && !after.newline))
        return ts_function_declaration(p, from);
    if (p->tok.word == W_INTERFACE || p->tok.word == W_ABSTRACT) {
        enum ts_effect effect = ts_type_declaration(p, from, true);
        if (effect != E_OTHER)
            return effect == E_EMITTED;
    }
    return export_default_value(p, from);
}

/* `export` before a declaration. In a namespace, each name becomes a member of its object. */
static bool exported_declaration(struct ts_parser *p, const struct ts_origin *from)
{
    struct ts_token name = ts_peek(p);
    uint32_t names = p->names.count;
    bool may_change = p->tok.word != W_CONST;
    if (p->ctx.space)
        ts_blank(p, from->start, from->start + 6);
    if (p->tok.word == W_VAR || p->tok.word == W_LET || p->tok.word == W_CONST) {
        ts_variables(p);
        ts_semicolon(p);
    } else if (p->tok.word == W_CLASS) {
        ts_class_declaration(p);
        TS_PUSH(p, p->names, ts_span_of(&name));
        may_change = false;
    } else {
        struct ts_mark mark = ts_mark(p);
        ts_accept_word(p, W_ASYNC);
        ts_accept_word(p, W_FUNCTION);
        ts_accept(p, '*');
        name = p->tok;
        ts_rewind(p, &mark);
        if (!ts_function_declaration(p, from))
            return false;
        TS_PUSH(p, p->names, ts_span_of(&name));
        may_change = false;
    }
    for (uint32_t i = names; i < p->names.count && p->ctx.space; i++)
        ts_export_member(p, p->names.at[i], may_change);
    if (p->names.count > names)
        p->names.count = names;
    return true;
}

static bool exported_alias(struct ts_parser *p, const struct ts_origin *from)
{
    uint32_t keyword = p->tok.start;
    ts_next(p);
    bool type_only = ts_type_modifier_follows(p);
    if (type_only)
        ts_next(p);
    struct ts_span name = ts_span_of(&p->tok);
    if (!ts_alias(p, from, keyword, true, type_only))
        return false;
    if (p->ctx.space) {
        ts_blank(p, from->start, from->start + 6);
        ts_export_member(p, name, false);
    }
    return true;
}

/* `export` before a word. */
static bool export_word(struct ts_parser *p, const struct ts_origin *from)
{
    struct ts_token after = ts_peek(p);
    switch (p->tok.word) {
    case W_DEFAULT:
        ts_next(p);
        return export_default(p, from);
    case W_IMPORT:
        return exported_alias(p, from);
    case W_AS:
        ts_next(p);
        ts_next(p);
        ts_next(p);
        ts_semicolon(p);
        ts_erase_statement(p, from);
        return false;
    case W_CONST:
        if (after.word != W_ENUM)
            return exported_declaration(p, from);
        ts_next(p);
        /* fall through */
    case W_ENUM:
        ts_enum(p, from->start, true);
        return true;
    case W_VAR:
    case W_LET:
    case W_CLASS:
    case W_FUNCTION:
    case W_ASYNC:
        return exported_declaration(p, from);
    default:
        break;
    }
    enum ts_effect effect = ts_type_declaration(p, from, true);
    if (effect == E_OTHER)
        ts_fail_token(p, NULL);
    return effect == E_EMITTED;
}

/* At `export`. True if it has an effect. */
bool ts_export(struct ts_parser *p)
{
    struct ts_origin from = ts_origin(p);
    ts_next(p);
    struct ts_token after = ts_peek(p);
    bool type_only = p->tok.word == W_TYPE && (after.kind == '{' || after.kind == '*');
    if (type_only)
        ts_next(p);
    switch (p->tok.kind) {
    case '{':
        return export_list(p, &from, type_only);
    case '*':
        return export_all(p, &from, type_only);
    case '=':
        return export_equals(p);
    case T_NAME:
        return export_word(p, &from);
    case '@':
        ts_refuse_decorator(p);
        return true;
    default:
        ts_fail_token(p, NULL);
        return true;
    }
}
