/* Functions and their overloads, and the declarations that exist only for the type checker. */
#include "ts_parser.h"

/* At `function` or `async function`. False if it was an overload, which is gone now. */
bool ts_function_declaration(struct ts_parser *p, const struct ts_origin *from)
{
    ts_accept_word(p, W_ASYNC);
    ts_next(p);
    bool generator = ts_accept(p, '*');
    struct ts_span name = {p->tok.start, p->tok.start};
    if (ts_identifier(&p->tok)) {
        name.end = p->tok.end;
        ts_next(p);
    }
    if (p->tok.kind != '(' && p->tok.kind != '<') {
        ts_fail_token(p, "(");
        return true;
    }
    bool has_body = ts_signature_and_body(p, generator, NULL);
    if (has_body || p->ambient)
        ts_declare(p, name);
    if (has_body)
        return true;
    ts_semicolon(p);
    ts_erase_statement(p, from);
    return false;
}

static void remember_type(struct ts_parser *p)
{
    if (!ts_identifier(&p->tok))
        ts_fail_token(p, NULL);
    else if (!p->ambient)
        ts_remember(p, 0, N_TYPE, (struct ts_span){p->tok.start, p->tok.end});
    ts_next(p);
}

static void interface_declaration(struct ts_parser *p)
{
    ts_next(p);
    remember_type(p);
    if (p->tok.kind == '<')
        ts_type_parameters(p);
    if (ts_accept_word(p, W_EXTENDS)) {
        do
            ts_type(p);
        while (ts_accept(p, ','));
    }
    if (p->tok.kind == '{')
        ts_type_members(p);
    else
        ts_fail_token(p, "{");
}

static void type_alias(struct ts_parser *p)
{
    ts_next(p);
    remember_type(p);
    if (p->tok.kind == '<')
        ts_type_parameters(p);
    ts_expect(p, '=', "=");
    ts_type(p);
    ts_semicolon(p);
}

static void abstract_class(struct ts_parser *p)
{
    ts_blank(p, p->tok.start, p->tok.end);
    ts_next(p);
    ts_class_declaration(p);
}

static bool declaration_word(const struct ts_token *tok)
{
    switch (tok->word) {
    case W_VAR:
    case W_LET:
    case W_CONST:
    case W_FUNCTION:
    case W_ASYNC:
    case W_CLASS:
    case W_ABSTRACT:
    case W_ENUM:
    case W_NAMESPACE:
    case W_MODULE:
    case W_GLOBAL:
    case W_TYPE:
    case W_INTERFACE:
    case W_IMPORT:
    case W_USING:
        return true;
    default:
        return false;
    }
}

/* `declare …`: whatever follows has no code. */
static void declare_statement(struct ts_parser *p)
{
    ts_next(p);
    p->ambient++;
    ts_statement(p);
    p->ambient--;
}

/* Declarations only TypeScript has, told by a word that is otherwise a plain name. */
enum ts_effect ts_type_declaration(struct ts_parser *p, const struct ts_origin *from, bool exported)
{
    if (p->tok.word == W_NONE)
        return E_OTHER;
    struct ts_token after = ts_peek(p);
    bool named = ts_identifier(&after);
    if (after.newline)
        return E_OTHER;
    switch (p->tok.word) {
    case W_INTERFACE:
        if (!named)
            return E_OTHER;
        interface_declaration(p);
        break;
    case W_TYPE:
        if (!named)
            return E_OTHER;
        type_alias(p);
        break;
    case W_DECLARE:
        if (!declaration_word(&after))
            return E_OTHER;
        declare_statement(p);
        break;
    case W_ABSTRACT:
        if (after.word != W_CLASS)
            return E_OTHER;
        abstract_class(p);
        return E_EMITTED;
    case W_GLOBAL:
        if (after.kind != '{' || !p->ambient)
            return E_OTHER;
        return ts_namespace(p, from, exported) ? E_EMITTED : E_ERASED;
    case W_MODULE:
        named |= after.kind == T_STRING;
        /* fall through */
    case W_NAMESPACE:
        if (!named)
            return E_OTHER;
        return ts_namespace(p, from, exported) ? E_EMITTED : E_ERASED;
    default:
        return E_OTHER;
    }
    ts_erase_statement(p, from);
    return E_ERASED;
}
