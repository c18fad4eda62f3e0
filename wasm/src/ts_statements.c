/* Statements, told apart by their first words. */
#include "ts_parser.h"

struct ts_origin ts_origin(const struct ts_parser *p)
{
    return (struct ts_origin){p->tok.start, p->edits.count, p->prev_end};
}

/* Drops what was read since. A `;` stays, so that the neighbours do not join. */
void ts_erase_statement(struct ts_parser *p, const struct ts_origin *from)
{
    char last = from->before ? p->src[from->before - 1] : ';';
    ts_erase(p, from->first_edit, from->start, p->prev_end);
    if (last == ';' || last == '{' || p->status != TS_OK)
        return;
    p->edits.count--;
    ts_replace(p, from->start, p->prev_end, ";");
}

void ts_semicolon(struct ts_parser *p)
{
    if (ts_accept(p, ';') || p->tok.kind == '}' || p->tok.kind == T_EOF || p->tok.newline)
        return;
    ts_fail_token(p, NULL);
}

void ts_statements(struct ts_parser *p, int end)
{
    while (p->tok.kind != end && p->status == TS_OK) {
        if (p->tok.kind == T_EOF)
            return;
        ts_statement(p);
    }
}

static struct ts_context enter_block(struct ts_parser *p)
{
    struct ts_context saved = p->ctx;
    p->ctx.in_block = true;
    p->ctx.no_in = p->ctx.before_colon = false;
    p->ctx.space = NULL;
    p->ctx.scope = ++p->last_id;
    return saved;
}

void ts_block(struct ts_parser *p)
{
    struct ts_context saved = enter_block(p);
    ts_expect(p, '{', "{");
    ts_statements(p, '}');
    p->ctx = saved;
    ts_expect(p, '}', "}");
}

/* A statement that another one owns: the body of if, for, while, a label. */
static void inner_statement(struct ts_parser *p)
{
    struct ts_context saved = enter_block(p);
    ts_statement(p);
    p->ctx = saved;
}

static void condition(struct ts_parser *p)
{
    ts_expect(p, '(', "(");
    ts_expression(p);
    ts_expect(p, ')', ")");
}

/* At `var`, `let`, `const` or `using`. Bound names are added to the list. */
void ts_variables(struct ts_parser *p)
{
    ts_next(p);
    do {
        if (p->ambient && ts_identifier(&p->tok))
            ts_declare(p, (struct ts_span){p->tok.start, p->tok.end});
        ts_binding(p);
        if (p->tok.kind == '!' && !p->tok.newline) {
            ts_blank(p, p->tok.start, p->tok.end);
            ts_next(p);
        }
        if (p->tok.kind == ':')
            ts_blank_annotation(p);
        if (ts_accept(p, '='))
            ts_assignment(p);
    } while (ts_accept(p, ','));
}

static bool binding_follows(const struct ts_token *after)
{
    return ts_identifier(after) || after->kind == '[' || after->kind == '{';
}

/* At the words that declare variables, `await` of `await using` skipped. */
static bool at_variables(struct ts_parser *p)
{
    struct ts_token after;
    switch (p->tok.word) {
    case W_VAR:
    case W_CONST:
        return true;
    case W_LET:
        after = ts_peek(p);
        return binding_follows(&after);
    case W_USING:
        after = ts_peek(p);
        return ts_identifier(&after) && !after.newline && after.word != W_OF;
    case W_AWAIT:
        after = ts_peek(p);
        if (after.word != W_USING || after.newline)
            return false;
        struct ts_mark mark = ts_mark(p);
        ts_next(p);
        if (at_variables(p))
            return true;
        ts_rewind(p, &mark);
        return false;
    default:
        return false;
    }
}

static void for_head(struct ts_parser *p)
{
    p->ctx.no_in = true;
    if (p->tok.kind != ';') {
        if (at_variables(p))
            ts_variables(p);
        else
            ts_expression(p);
    }
    p->ctx.no_in = false;
    if (ts_accept_word(p, W_OF)) {
        ts_assignment(p);
        return;
    }
    if (ts_accept_word(p, W_IN)) {
        ts_expression(p);
        return;
    }
    ts_expect(p, ';', ";");
    if (p->tok.kind != ';')
        ts_expression(p);
    ts_expect(p, ';', ";");
    if (p->tok.kind != ')')
        ts_expression(p);
}

static void for_statement(struct ts_parser *p)
{
    struct ts_context saved = enter_block(p);
    uint32_t names = p->names.count;
    ts_next(p);
    ts_accept_word(p, W_AWAIT);
    ts_expect(p, '(', "(");
    for_head(p);
    ts_expect(p, ')', ")");
    if (p->names.count > names)
        p->names.count = names;
    ts_statement(p);
    p->ctx = saved;
}

static void if_statement(struct ts_parser *p)
{
    do {
        ts_next(p);
        condition(p);
        inner_statement(p);
        if (!ts_accept_word(p, W_ELSE))
            return;
    } while (p->tok.word == W_IF);
    inner_statement(p);
}

static void do_statement(struct ts_parser *p)
{
    ts_next(p);
    inner_statement(p);
    if (!ts_accept_word(p, W_WHILE))
        ts_fail_token(p, "while");
    condition(p);
    ts_accept(p, ';');
}

static void switch_clause(struct ts_parser *p)
{
    if (ts_accept_word(p, W_CASE)) {
        struct ts_context saved = p->ctx;
        p->ctx.before_colon = true;
        ts_expression(p);
        p->ctx = saved;
    } else if (!ts_accept_word(p, W_DEFAULT)) {
        ts_fail_token(p, NULL);
    }
    ts_expect(p, ':', ":");
    while (p->tok.kind != '}' && p->tok.word != W_CASE && p->tok.word != W_DEFAULT && p->tok.kind != T_EOF)
        ts_statement(p);
}

static void switch_statement(struct ts_parser *p)
{
    ts_next(p);
    condition(p);
    struct ts_context saved = enter_block(p);
    ts_expect(p, '{', "{");
    while (p->tok.kind != '}' && p->status == TS_OK)
        switch_clause(p);
    p->ctx = saved;
    ts_expect(p, '}', "}");
}

static void try_statement(struct ts_parser *p)
{
    uint32_t names = p->names.count;
    ts_next(p);
    ts_block(p);
    if (ts_accept_word(p, W_CATCH)) {
        if (ts_accept(p, '(')) {
            ts_binding(p);
            if (p->tok.kind == ':')
                ts_blank_annotation(p);
            ts_expect(p, ')', ")");
        }
        ts_block(p);
    }
    if (ts_accept_word(p, W_FINALLY))
        ts_block(p);
    if (p->names.count > names)
        p->names.count = names;
}

/* At return, throw, break, continue or debugger. */
static void jump_statement(struct ts_parser *p)
{
    bool takes_label = p->tok.word == W_BREAK || p->tok.word == W_CONTINUE;
    bool takes_value = p->tok.word == W_RETURN || p->tok.word == W_THROW;
    ts_next(p);
    if (takes_label && ts_identifier(&p->tok) && !p->tok.newline)
        ts_next(p);
    if (takes_value && !p->tok.newline && p->tok.kind != ';' && p->tok.kind != '}' && p->tok.kind != T_EOF)
        ts_expression(p);
    ts_semicolon(p);
}

static void variable_statement(struct ts_parser *p)
{
    uint32_t names = p->names.count;
    ts_variables(p);
    if (p->names.count > names)
        p->names.count = names;
    ts_semicolon(p);
}

static void expression_statement(struct ts_parser *p)
{
    p->statement_at = p->tok.start;
    ts_expression(p);
    ts_semicolon(p);
}

/* A statement that starts with a word which is no plain name. False if the word is none of those. */
static bool keyword_statement(struct ts_parser *p)
{
    switch (p->tok.word) {
    case W_IF:
        if_statement(p);
        return true;
    case W_FOR:
        for_statement(p);
        return true;
    case W_WHILE:
    case W_WITH:
        ts_next(p);
        condition(p);
        inner_statement(p);
        return true;
    case W_DO:
        do_statement(p);
        return true;
    case W_SWITCH:
        switch_statement(p);
        return true;
    case W_TRY:
        try_statement(p);
        return true;
    case W_RETURN:
    case W_THROW:
    case W_BREAK:
    case W_CONTINUE:
    case W_DEBUGGER:
        jump_statement(p);
        return true;
    case W_CLASS:
        ts_class_declaration(p);
        return true;
    default:
        return false;
    }
}

/* A statement that starts with a name. True if it has an effect. */
static bool name_statement(struct ts_parser *p, const struct ts_origin *from)
{
    struct ts_token after = ts_peek(p);
    enum ts_effect effect;
    if (p->tok.word == W_FUNCTION || (p->tok.word == W_ASYNC && after.word == W_FUNCTION && !after.newline))
        return ts_function_declaration(p, from);
    if (p->tok.word == W_IMPORT && after.kind != '(' && after.kind != '.')
        return ts_import(p);
    if (p->tok.word == W_EXPORT)
        return ts_export(p);
    if (p->tok.word == W_CONST && after.word == W_ENUM)
        ts_next(p);
    if (p->tok.word == W_ENUM) {
        ts_enum(p, from->start, false);
        return true;
    }
    if (keyword_statement(p))
        return true;
    if (ts_identifier(&p->tok) && after.kind == ':') {
        ts_next(p);
        ts_next(p);
        inner_statement(p);
        return true;
    }
    if (at_variables(p)) {
        variable_statement(p);
        return true;
    }
    effect = ts_type_declaration(p, from, false);
    if (effect == E_OTHER)
        expression_statement(p);
    return effect != E_ERASED;
}

void ts_statement(struct ts_parser *p)
{
    struct ts_origin from = ts_origin(p);
    bool emitted = p->emitted, effect = true;
    if (ts_enter(p)) {
        if (p->tok.kind == '{')
            ts_block(p);
        else if (p->tok.kind == '@')
            ts_refuse_decorator(p);
        else if (p->tok.kind == T_NAME)
            effect = name_statement(p, &from);
        else if (!ts_accept(p, ';'))
            expression_statement(p);
    }
    ts_leave(p);
    p->emitted = emitted || effect;
}
