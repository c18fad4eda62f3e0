/* Arrow functions, and what looks like one.
 *
 * A parenthesis is read once, as arguments that may also be parameters; what
 * follows it says which. One question needs a guess that may be undone, as in
 * TypeScript: `x ? (a) : b => c : d`. A failed guess is remembered, so that
 * guesses inside guesses do not multiply.
 */
#include "ts_parser.h"

/* One argument or parameter. Returns where an annotation stands, or 0. */
static uint32_t covered_item(struct ts_parser *p)
{
    uint32_t annotation = 0;
    ts_accept(p, T_ELLIPSIS);
    ts_assignment(p);
    if (p->tok.kind == '?') {
        annotation = p->tok.start;
        ts_blank(p, p->tok.start, p->tok.end);
        ts_next(p);
    }
    if (p->tok.kind == ':') {
        annotation = annotation ? annotation : p->tok.start;
        ts_blank_annotation(p);
    }
    if (ts_accept(p, '='))
        ts_assignment(p);
    return annotation;
}

/* `: T =>` after parameters that end at close. `)` moves down if a line ended on the way. */
static void arrow_return_type(struct ts_parser *p, uint32_t close)
{
    uint32_t colon = p->tok.start;
    ts_next(p);
    ts_return_type(p);
    if (p->tok.kind != T_ARROW || p->tok.newline) {
        ts_fail_token(p, "=>");
        return;
    }
    if (!ts_line_break_in(p, close, p->prev_end)) {
        ts_blank(p, colon, p->prev_end);
        return;
    }
    ts_blank(p, close, close + 1);
    ts_blank(p, colon, p->prev_end - 1);
    ts_replace(p, p->prev_end - 1, p->prev_end, ")");
}

/* Where a `:` must follow the expression, `(a): T => b` counts only if one does. */
static bool try_return_type(struct ts_parser *p, uint32_t open, uint32_t close)
{
    if (ts_bit(p->not_arrow, open))
        return false;
    struct ts_mark mark = ts_mark(p);
    arrow_return_type(p, close);
    ts_arrow_body(p);
    if (p->status == TS_OK && p->tok.kind == ':')
        return true;
    if (ts_rewind(p, &mark))
        ts_set_bit(p, &p->not_arrow, open);
    return false;
}

/* `(…)`: a parenthesis, parameters of an arrow function, or arguments of `async`. */
enum ts_shape ts_parenthesis(struct ts_parser *p, bool may_be_empty)
{
    uint32_t open = p->tok.start, annotation = 0;
    struct ts_context saved = ts_open_brackets(p);
    ts_next(p);
    bool empty = p->tok.kind == ')';
    while (p->tok.kind != ')' && p->status == TS_OK) {
        uint32_t found = covered_item(p);
        annotation = annotation ? annotation : found;
        if (!ts_accept(p, ','))
            break;
    }
    p->ctx = saved;
    uint32_t close = p->tok.start;
    ts_expect(p, ')', ")");
    if (p->tok.kind == T_ARROW && !p->tok.newline) {
        ts_arrow_body(p);
        return S_ARROW;
    }
    if (p->tok.kind == ':' && p->ctx.before_colon && try_return_type(p, open, close))
        return S_ARROW;
    if (p->tok.kind == ':' && !p->ctx.before_colon) {
        arrow_return_type(p, close);
        ts_arrow_body(p);
        return S_ARROW;
    }
    if (annotation && p->status == TS_OK)
        ts_fail(p, annotation, p->src[annotation] == '?' ? "Unexpected token '?'" : "Unexpected token ':'");
    if (empty && !may_be_empty)
        ts_fail_token(p, "=>");
    return S_OPERAND;
}

/* `async (…)` with type parameters that span lines: `(` has to stay beside `async`. */
static enum ts_shape async_parenthesis(struct ts_parser *p, uint32_t less)
{
    if (p->tok.kind == '(' && ts_line_break_in(p, less, p->tok.start)) {
        ts_replace(p, less, less + 1, "(");
        ts_blank(p, less + 1, p->prev_end);
        ts_blank(p, p->tok.start, p->tok.end);
    } else {
        ts_blank(p, less, p->prev_end);
    }
    return p->tok.kind == '(' ? ts_parenthesis(p, true) : S_OPERAND;
}

/* `async <T>(x: T) => x`, unless it is `async < b`. */
static bool try_async_parameters(struct ts_parser *p)
{
    uint32_t less = p->tok.start;
    struct ts_mark mark = ts_mark(p);
    ts_type_parameters(p);
    if (p->status == TS_OK && p->tok.kind == '(' && async_parenthesis(p, less) == S_ARROW)
        return true;
    ts_rewind(p, &mark);
    return false;
}

enum ts_shape ts_name_operand(struct ts_parser *p)
{
    struct ts_span name = {p->tok.start, p->tok.end};
    ts_next(p);
    if (p->tok.kind == T_ARROW && !p->tok.newline) {
        ts_arrow_body(p);
        return S_ARROW;
    }
    ts_use(p, name);
    return S_OPERAND;
}

/* At `async`: a function, an arrow function, a call or a plain name. */
enum ts_shape ts_async_operand(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    if (after.newline)
        return ts_name_operand(p);
    if (after.word == W_FUNCTION) {
        ts_next(p);
        ts_function_expression(p);
        return S_OPERAND;
    }
    if (after.kind == '(') {
        ts_next(p);
        return ts_parenthesis(p, true);
    }
    if (after.kind == '<') {
        ts_next(p);
        return try_async_parameters(p) ? S_ARROW : S_OPERAND;
    }
    if (!ts_identifier(&after))
        return ts_name_operand(p);
    struct ts_mark mark = ts_mark(p);
    ts_next(p);
    ts_next(p);
    if (p->tok.kind == T_ARROW && !p->tok.newline) {
        ts_arrow_body(p);
        return S_ARROW;
    }
    ts_rewind(p, &mark);
    return ts_name_operand(p);
}

/* At `=>`. An expression body inherits what must follow the whole. */
void ts_arrow_body(struct ts_parser *p)
{
    struct ts_context saved = p->ctx;
    ts_next(p);
    p->ctx.generator = false;
    if (p->tok.kind != '{') {
        ts_assignment(p);
        p->ctx = saved;
        return;
    }
    p->ctx = (struct ts_context){.scope = ++p->last_id, .constructor = saved.constructor};
    ts_next(p);
    ts_statements(p, '}');
    ts_expect(p, '}', "}");
    p->ctx = saved;
}
