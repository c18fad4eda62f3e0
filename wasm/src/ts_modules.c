/* import and export. What only names types goes; an import goes when nothing
 * in the text uses it as a value, which is known only at the end.
 */
#include "ts_parser.h"

static void attributes(struct ts_parser *p)
{
    if (p->tok.word == W_WITH || (p->tok.word == W_ASSERT && !p->tok.newline)) {
        ts_next(p);
        if (p->tok.kind == '{')
            ts_assignment(p);
        else
            ts_fail_token(p, "{");
    }
}

/* `from "x"` to the end of the statement. */
static void source_clause(struct ts_parser *p)
{
    if (!ts_accept_word(p, W_FROM))
        ts_fail_token(p, "from");
    ts_expect(p, T_STRING, "a module name");
    attributes(p);
    ts_semicolon(p);
}

static struct ts_span span_of(const struct ts_token *tok)
{
    return (struct ts_span){tok->start, tok->end};
}

/* `a`, `a as b`, `type a`, `type a as b`, in a list of imports or exports. */
static void specifier(struct ts_parser *p, bool import)
{
    struct ts_token words[4];
    uint32_t count = 0, start = p->tok.start;
    while (count < 4 && (p->tok.kind == T_NAME || p->tok.kind == T_STRING)) {
        words[count++] = p->tok;
        ts_next(p);
    }
    bool type_only = count == 2 || count == 4;
    if (!count) {
        ts_fail_token(p, NULL);
        return;
    }
    uint32_t local = import ? count - 1 : type_only;
    if (p->tok.kind != '}')
        ts_expect(p, ',', "}");
    TS_PUSH(p, p->specifiers, (struct ts_specifier){span_of(&words[local]), {start, p->prev_end}, type_only, true});
}

static void specifier_list(struct ts_parser *p, bool import)
{
    ts_next(p);
    while (p->tok.kind != '}' && p->status == TS_OK)
        specifier(p, import);
    ts_expect(p, '}', "}");
}

/* `* as ns` of an import. */
static void namespace_specifier(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_next(p);
    if (!ts_accept_word(p, W_AS))
        ts_fail_token(p, "as");
    struct ts_span name = span_of(&p->tok);
    ts_next(p);
    TS_PUSH(p, p->specifiers, (struct ts_specifier){name, {start, p->prev_end}, false, true});
}

/* What an import binds. */
static void import_clause(struct ts_parser *p, struct ts_pending *import)
{
    import->braces.start = p->tok.start;
    if (ts_identifier(&p->tok)) {
        struct ts_span name = span_of(&p->tok);
        ts_next(p);
        import->braces.start = p->prev_end;
        bool more = ts_accept(p, ',');
        TS_PUSH(p, p->specifiers, (struct ts_specifier){name, {name.start, p->prev_end}, false, false});
        if (!more)
            return;
    }
    if (p->tok.kind == '*')
        namespace_specifier(p);
    else if (p->tok.kind == '{')
        specifier_list(p, true);
    else
        ts_fail_token(p, NULL);
    import->braces.end = p->prev_end;
}

/* After `import`: the word `type` makes it an import of types. */
static bool type_modifier_follows(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    if (p->tok.word != W_TYPE)
        return false;
    if (after.kind == '{' || after.kind == '*')
        return true;
    if (after.word != W_FROM)
        return ts_identifier(&after);
    struct ts_mark mark = ts_mark(p);
    ts_next(p);
    after = ts_peek(p);
    ts_rewind(p, &mark);
    return after.word == W_FROM || after.kind == '=';
}

/* `A.B.C` after `=`. */
static void alias_target(struct ts_parser *p)
{
    do {
        if (p->tok.kind != T_NAME)
            ts_fail_token(p, NULL);
        ts_next(p);
    } while (ts_accept(p, '.'));
    ts_semicolon(p);
}

/* At the name of `import a = A.B`. True if it has an effect by itself. */
static bool alias(struct ts_parser *p, const struct ts_origin *from, uint32_t keyword, bool exported, bool type_only)
{
    struct ts_span name = span_of(&p->tok);
    ts_next(p);
    ts_expect(p, '=', "=");
    struct ts_token after = ts_peek(p);
    struct ts_span target = span_of(&p->tok);
    if (p->tok.word == W_REQUIRE && after.kind == '(') {
        if (!p->ambient && !type_only)
            ts_fail(p, p->tok.start, "'import … = require()' is not supported: use import … from");
        ts_expression(p);
        ts_semicolon(p);
    } else {
        alias_target(p);
    }
    if (type_only || p->ambient) {
        ts_erase_statement(p, from);
        return false;
    }
    ts_declare(p, name);
    if (exported) {
        ts_use(p, target);
        ts_replace(p, keyword, keyword + 6, "var");
        return true;
    }
    TS_PUSH(p, p->pending, (struct ts_pending){P_ALIAS, {from->start, p->prev_end}, name, target, 0, 0, false});
    return false;
}

static bool alias_follows(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    return ts_identifier(&p->tok) && after.kind == '=';
}

/* At `import`. True if it has an effect. */
bool ts_import(struct ts_parser *p)
{
    struct ts_origin from = ts_origin(p);
    struct ts_pending import = {.kind = P_IMPORT, .first = p->specifiers.count};
    ts_next(p);
    if (ts_accept(p, T_STRING)) {
        attributes(p);
        ts_semicolon(p);
        return true;
    }
    bool type_only = type_modifier_follows(p);
    if (type_only)
        ts_next(p);
    if (alias_follows(p))
        return alias(p, &from, from.start, false, type_only);
    struct ts_token after = ts_peek(p);
    if (p->tok.word == W_DEFER && after.kind == '*')
        ts_next(p);
    import_clause(p, &import);
    source_clause(p);
    for (uint32_t i = import.first; i < p->specifiers.count; i++)
        if (type_only || p->specifiers.at[i].type_only)
            ts_remember(p, 0, N_TYPE, p->specifiers.at[i].name);
    if (type_only || p->ambient) {
        p->specifiers.count = import.first < p->specifiers.count ? import.first : p->specifiers.count;
        ts_erase_statement(p, &from);
        return false;
    }
    import.whole = (struct ts_span){from.start, p->prev_end};
    import.count = p->specifiers.count - import.first;
    TS_PUSH(p, p->pending, import);
    return true;
}

/* At `{` of `export { … }`. */
static bool export_list(struct ts_parser *p, const struct ts_origin *from, bool type_only)
{
    struct ts_pending list = {.kind = P_EXPORT, .first = p->specifiers.count};
    specifier_list(p, false);
    list.had_from = p->tok.word == W_FROM;
    if (list.had_from)
        source_clause(p);
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
    source_clause(p);
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
                (struct ts_pending){P_EXPORT_DEFAULT, {from->start, p->prev_end}, span_of(&first), {0, 0}, 0, 0, false});
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
        TS_PUSH(p, p->names, span_of(&name));
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
        TS_PUSH(p, p->names, span_of(&name));
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
    bool type_only = type_modifier_follows(p);
    if (type_only)
        ts_next(p);
    struct ts_span name = span_of(&p->tok);
    if (!alias(p, from, keyword, true, type_only))
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

static bool only_a_type(const struct ts_parser *p, struct ts_span name)
{
    return ts_find(p, 0, N_TYPE, name) && !ts_find(p, 0, N_DECLARED, name);
}

static bool dropped(const struct ts_parser *p, const struct ts_pending *list, const struct ts_specifier *s)
{
    if (s->type_only)
        return true;
    if (list->kind == P_IMPORT)
        return !ts_find(p, 0, N_USED, s->name);
    return !list->had_from && only_a_type(p, s->name);
}

/* Drops the parts of an import or export list that name types, or the whole of it. */
static void settle_list(struct ts_parser *p, const struct ts_pending *list)
{
    uint32_t gone = 0, gone_in_braces = 0, in_braces = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ts_specifier *s = p->specifiers.at + list->first + i;
        bool drop = dropped(p, list, s);
        gone += drop;
        in_braces += s->in_braces;
        gone_in_braces += drop && s->in_braces;
    }
    if (gone == list->count && !(list->had_from && !list->count)) {
        ts_replace(p, list->whole.start, list->whole.end, ";");
        return;
    }
    bool drop_braces = in_braces && gone_in_braces == in_braces;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ts_specifier *s = p->specifiers.at + list->first + i;
        if (dropped(p, list, s) && !(s->in_braces && drop_braces))
            ts_blank(p, s->region.start, s->region.end);
    }
    if (drop_braces)
        ts_blank(p, list->braces.start, list->braces.end);
}

/* Only an alias that is used uses its target. Backwards, as an alias may name an earlier one. */
static void use_targets(struct ts_parser *p)
{
    for (uint32_t i = p->pending.count; i-- > 0;) {
        const struct ts_pending item = p->pending.at[i];
        if (item.kind == P_ALIAS && ts_find(p, 0, N_USED, item.braces))
            ts_use(p, item.target);
    }
}

/* At the end, when all uses are known. */
void ts_settle_modules(struct ts_parser *p)
{
    use_targets(p);
    for (uint32_t i = 0; i < p->pending.count; i++) {
        const struct ts_pending item = p->pending.at[i];
        switch (item.kind) {
        case P_IMPORT:
        case P_EXPORT:
            settle_list(p, &item);
            break;
        case P_EXPORT_DEFAULT:
            if (only_a_type(p, item.braces))
                ts_replace(p, item.whole.start, item.whole.end, ";");
            break;
        case P_ALIAS:
            if (ts_find(p, 0, N_USED, item.braces))
                ts_replace(p, item.whole.start, item.whole.start + 6, "var");
            else
                ts_replace(p, item.whole.start, item.whole.end, ";");
            break;
        }
    }
}
