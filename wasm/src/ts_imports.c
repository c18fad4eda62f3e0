/* import declarations, and what they share with exports. */
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
void ts_source_clause(struct ts_parser *p)
{
    if (!ts_accept_word(p, W_FROM))
        ts_fail_token(p, "from");
    ts_expect(p, T_STRING, "a module name");
    attributes(p);
    ts_semicolon(p);
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
    TS_PUSH(p, p->specifiers, (struct ts_specifier){ts_span_of(&words[local]), {start, p->prev_end}, type_only, true});
}

void ts_specifier_list(struct ts_parser *p, bool import)
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
    struct ts_span name = ts_span_of(&p->tok);
    ts_next(p);
    TS_PUSH(p, p->specifiers, (struct ts_specifier){name, {start, p->prev_end}, false, true});
}

/* What an import binds. */
static void import_clause(struct ts_parser *p, struct ts_pending *import)
{
    import->braces.start = p->tok.start;
    if (ts_identifier(&p->tok)) {
        struct ts_span name = ts_span_of(&p->tok);
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
        ts_specifier_list(p, true);
    else
        ts_fail_token(p, NULL);
    import->braces.end = p->prev_end;
}

/* After `import`: the word `type` makes it an import of types. */
bool ts_type_modifier_follows(struct ts_parser *p)
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
bool ts_alias(struct ts_parser *p, const struct ts_origin *from, uint32_t keyword, bool exported, bool type_only)
{
    struct ts_span name = ts_span_of(&p->tok);
    ts_next(p);
    ts_expect(p, '=', "=");
    struct ts_token after = ts_peek(p);
    struct ts_span target = ts_span_of(&p->tok);
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
    bool type_only = ts_type_modifier_follows(p);
    if (type_only)
        ts_next(p);
    if (alias_follows(p))
        return ts_alias(p, &from, from.start, false, type_only);
    struct ts_token after = ts_peek(p);
    if (p->tok.word == W_DEFER && after.kind == '*')
        ts_next(p);
    import_clause(p, &import);
    ts_source_clause(p);
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
