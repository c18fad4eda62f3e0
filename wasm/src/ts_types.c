/* Recognises types. They leave no edits: whoever met the type blanks it.
 *
 * More is accepted than TypeScript allows wherever that cannot change where a
 * type ends. What decides an ending follows TypeScript: a line break stops
 * `[`, `<`, `extends`; a parenthesis opens a function type only if it looks
 * like parameters and `=>` comes after it.
 */
#include "ts_parser.h"

static void type_operand(struct ts_parser *p);

/* `A | B & C`: only the extent matters, so one flat loop. */
static void type_union(struct ts_parser *p)
{
    if (p->tok.kind == '|' || p->tok.kind == '&')
        ts_next(p);
    for (;;) {
        type_operand(p);
        if (p->tok.kind != '|' && p->tok.kind != '&')
            return;
        ts_next(p);
    }
}

static void constraint_type(struct ts_parser *p, bool no_conditional)
{
    bool saved = p->no_conditional;
    p->no_conditional = no_conditional;
    ts_type(p);
    p->no_conditional = saved;
}

/* Any type, conditional ones included. */
void ts_type(struct ts_parser *p)
{
    bool saved = p->no_conditional;
    if (ts_enter(p)) {
        for (;;) {
            type_union(p);
            if (p->no_conditional || p->tok.newline || !ts_accept_word(p, W_EXTENDS))
                break;
            constraint_type(p, true);
            ts_expect(p, '?', "?");
            constraint_type(p, false);
            ts_expect(p, ':', ":");
            p->no_conditional = false;
        }
    }
    p->no_conditional = saved;
    ts_leave(p);
}

/* A type between brackets, where `extends` is free again. */
static void inner_type(struct ts_parser *p)
{
    constraint_type(p, false);
}

static void predicate_or_type(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    if (p->tok.word == W_ASSERTS && !after.newline && (ts_identifier(&after) || after.word == W_THIS)) {
        ts_next(p);
        ts_next(p);
        if (ts_accept_word(p, W_IS))
            ts_type(p);
        return;
    }
    bool subject = ts_identifier(&p->tok) || p->tok.word == W_THIS;
    if (subject && after.word == W_IS && !after.newline) {
        ts_next(p);
        ts_next(p);
    }
    ts_type(p);
}

/* `x is T`, `asserts x`, `asserts x is T`, or a type. */
void ts_return_type(struct ts_parser *p)
{
    bool saved = p->no_conditional;
    p->no_conditional = false;
    predicate_or_type(p);
    p->no_conditional = saved;
}

/* `<A, B>` of a reference. */
void ts_type_arguments(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_split_less(p);
    ts_next(p);
    do
        inner_type(p);
    while (ts_accept(p, ','));
    ts_expect(p, '>', ">");
    if (p->status == TS_SYNTAX_ERROR)
        ts_set_bit(p, &p->not_type_arguments, start);
}

static void type_parameter(struct ts_parser *p)
{
    while (p->tok.word == W_CONST || p->tok.word == W_IN || p->tok.word == W_OUT) {
        struct ts_token after = ts_peek(p);
        if (after.kind != T_NAME || after.word == W_EXTENDS)
            break;
        ts_next(p);
    }
    constraint_type(p, true);
    if (ts_accept_word(p, W_EXTENDS))
        inner_type(p);
    if (ts_accept(p, '?')) { /* the cast `<A extends B ? C : D>x` */
        inner_type(p);
        ts_expect(p, ':', ":");
        inner_type(p);
    }
    if (ts_accept(p, '='))
        inner_type(p);
}

/* `<const T extends U = V, …>`, and also `<T>` of a cast. */
void ts_type_parameters(struct ts_parser *p)
{
    ts_next(p);
    while (p->tok.kind != '>' && p->status == TS_OK) {
        type_parameter(p);
        if (!ts_accept(p, ','))
            break;
    }
    ts_expect(p, '>', ">");
}

static void entity(struct ts_parser *p)
{
    int word = p->tok.word;
    ts_next(p);
    bool predefined = word > W_LAST_RESTRICTED && word <= W_LAST_PREDEFINED && p->tok.kind != '.';
    while (p->tok.kind == '.') {
        ts_next(p);
        if (p->tok.kind != T_NAME && p->tok.kind != T_PRIVATE)
            ts_fail_token(p, NULL);
        ts_next(p);
    }
    if (!predefined && !p->tok.newline && (p->tok.kind == '<' || p->tok.kind == T_SHIFT_LEFT))
        ts_type_arguments(p);
}

static void import_type(struct ts_parser *p)
{
    ts_next(p);
    ts_expect(p, '(', "(");
    inner_type(p);
    if (ts_accept(p, ','))
        inner_type(p);
    ts_accept(p, ',');
    if (p->tok.kind != ')')
        ts_fail_token(p, ")");
    else
        entity(p);
}

static void template_type(struct ts_parser *p)
{
    while (p->tok.kind == T_TEMPLATE_HEAD) {
        ts_next(p);
        inner_type(p);
        ts_continue_template(p);
    }
    ts_next(p);
}

/* `name:` or `name?:` in a tuple; any word may be one. */
static void tuple_label(struct ts_parser *p)
{
    struct ts_mark mark = ts_mark(p);
    if (p->tok.kind != T_NAME)
        return;
    ts_next(p);
    ts_accept(p, '?');
    if (!ts_accept(p, ':'))
        ts_rewind(p, &mark);
}

static void tuple_type(struct ts_parser *p)
{
    ts_next(p);
    while (p->tok.kind != ']' && p->status == TS_OK) {
        ts_accept(p, T_ELLIPSIS);
        tuple_label(p);
        if (p->tok.kind != ',')
            inner_type(p);
        ts_accept(p, '?');
        if (ts_accept(p, ':'))
            inner_type(p);
        if (!ts_accept(p, ','))
            break;
    }
    ts_expect(p, ']', "]");
}

/* One item of a parenthesis. True if it can only be a parameter. */
static bool parenthesized_item(struct ts_parser *p, bool *may_be_parameter)
{
    bool parameter = ts_accept(p, T_ELLIPSIS);
    struct ts_token first = p->tok, after = ts_peek(p);
    bool name = first.kind == T_NAME && (after.kind == ',' || after.kind == ')');
    inner_type(p);
    bool pattern = (first.kind == '{' || first.kind == '[') && p->type_atom.start == first.start &&
                   p->type_atom.end == p->prev_end;
    *may_be_parameter = name || pattern;
    if (ts_accept(p, '?'))
        parameter = true;
    if (ts_accept(p, ':')) {
        parameter = true;
        inner_type(p);
    }
    if (ts_accept(p, '=')) {
        parameter = true;
        ts_skip_default(p);
    }
    return parameter;
}

/* `(A | B)` or `(a: A) => B`. True if it was a function type. */
static bool parenthesized_type(struct ts_parser *p, bool function)
{
    bool may_be_parameter = true;
    ts_next(p);
    function |= p->tok.kind == ')';
    while (p->tok.kind != ')' && p->status == TS_OK) {
        function |= parenthesized_item(p, &may_be_parameter);
        if (!ts_accept(p, ','))
            break;
        function = true;
    }
    ts_expect(p, ')', ")");
    if (p->tok.kind == T_ARROW && (function || may_be_parameter)) {
        ts_next(p);
        ts_return_type(p);
        return true;
    }
    if (function)
        ts_fail_token(p, "=>");
    return false;
}

static bool keyword_type(struct ts_parser *p)
{
    switch (p->tok.word) {
    case W_IMPORT:
        import_type(p);
        return true;
    case W_TYPEOF:
        ts_next(p);
        if (p->tok.word == W_IMPORT)
            import_type(p);
        else if (p->tok.kind == T_NAME)
            entity(p);
        else
            ts_fail_token(p, NULL);
        return true;
    case W_THIS:
        ts_next(p);
        return true;
    case W_VOID:
    case W_NULL:
    case W_TRUE:
    case W_FALSE:
        ts_next(p);
        return true;
    default:
        return false;
    }
}

/* A type without prefix or postfix. True if it was a function type, which takes no postfix. */
static bool type_atom(struct ts_parser *p)
{
    switch (p->tok.kind) {
    case T_NAME:
        if (ts_identifier(&p->tok))
            entity(p);
        else if (!keyword_type(p))
            ts_fail_token(p, NULL);
        return false;
    case T_STRING:
    case T_NUMBER:
        ts_next(p);
        return false;
    case '-':
        ts_next(p);
        ts_expect(p, T_NUMBER, "a number");
        return false;
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
        template_type(p);
        return false;
    case '{':
        ts_type_members(p);
        return false;
    case '[':
        tuple_type(p);
        return false;
    case '(':
        return parenthesized_type(p, false);
    case '<':
        ts_type_parameters(p);
        if (p->tok.kind == '(')
            return parenthesized_type(p, true);
        ts_fail_token(p, "(");
        return true;
    default:
        ts_fail_token(p, NULL);
        return false;
    }
}

/* `infer U extends V`: no constraint if `?` follows it, then it is a condition. */
static void infer_type(struct ts_parser *p)
{
    ts_next(p);
    if (!ts_identifier(&p->tok))
        ts_fail_token(p, NULL);
    ts_next(p);
    if (p->tok.word != W_EXTENDS)
        return;
    struct ts_mark mark = ts_mark(p);
    ts_next(p);
    constraint_type(p, true);
    if (p->status == TS_OK && (p->no_conditional || p->tok.kind != '?'))
        return;
    ts_rewind(p, &mark);
}

static bool starts_type(const struct ts_token *tok)
{
    switch (tok->kind) {
    case T_NAME:
    case T_STRING:
    case T_NUMBER:
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
    case '(':
    case '[':
    case '{':
    case '-':
        return true;
    default:
        return false;
    }
}

/* True if a prefix was read and an operand must follow. */
static bool type_prefix(struct ts_parser *p)
{
    struct ts_token after;
    switch (p->tok.word) {
    case W_KEYOF:
    case W_UNIQUE:
    case W_READONLY:
    case W_ABSTRACT:
        after = ts_peek(p);
        if (!starts_type(&after) || after.word == W_EXTENDS || (p->tok.word == W_ABSTRACT && after.word != W_NEW))
            return false;
        ts_next(p);
        return true;
    case W_NEW:
        ts_next(p);
        return true;
    default:
        return false;
    }
}

static void type_operand(struct ts_parser *p)
{
    while (type_prefix(p))
        ;
    uint32_t start = p->tok.start;
    if (p->tok.word == W_INFER) {
        struct ts_token after = ts_peek(p);
        if (ts_identifier(&after) && !after.newline) {
            infer_type(p);
            return;
        }
    }
    if (type_atom(p))
        return;
    p->type_atom = (struct ts_span){start, p->prev_end};
    while (p->tok.kind == '[' && !p->tok.newline) {
        ts_next(p);
        if (p->tok.kind != ']')
            inner_type(p);
        ts_expect(p, ']', "]");
    }
}
