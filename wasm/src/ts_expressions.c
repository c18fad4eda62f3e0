/* Expressions. Operators are read as a flat list: only three things need to be
 * known about them, where an operand is due, what `as` covers, and whether an
 * arrow function ended the expression.
 */
#include "ts_parser.h"

#include <string.h>

static enum ts_shape unary(struct ts_parser *p);

bool ts_starts_expression(const struct ts_token *tok)
{
    switch (tok->kind) {
    case T_NAME:
        break;
    case T_NUMBER:
    case T_STRING:
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
    case T_PRIVATE:
    case T_INCREMENT:
    case T_DECREMENT:
        return true;
    default:
        return tok->kind < 128 && tok->kind != T_EOF && strchr("([{+-~!</@", tok->kind) != NULL;
    }
    switch (tok->word) {
    case W_CLASS:
    case W_DELETE:
    case W_FALSE:
    case W_FUNCTION:
    case W_IMPORT:
    case W_NEW:
    case W_NULL:
    case W_SUPER:
    case W_THIS:
    case W_TRUE:
    case W_TYPEOF:
    case W_VOID:
        return true;
    default:
        return ts_identifier(tok);
    }
}

/* Binding power of the binary operator at tok, 0 if it is none. */
static int binary_power(struct ts_parser *p)
{
    ts_join_greater(p);
    switch (p->tok.kind) {
    case T_NULLISH:
    case T_OR:
        return 1;
    case T_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case T_EQUALITY:
        return 6;
    case '<':
    case '>':
    case T_COMPARE:
        return 7;
    case T_SHIFT_LEFT:
    case T_SHIFT_RIGHT:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    case T_POWER:
        return 11;
    case T_NAME:
        if (p->tok.word == W_IN)
            return p->ctx.no_in ? 0 : 7;
        if (p->tok.word == W_INSTANCEOF)
            return 7;
        return (p->tok.word == W_AS || p->tok.word == W_SATISFIES) && !p->tok.newline ? 7 : 0;
    default:
        return 0;
    }
}

#define POWER_OF_AS 7

/* The text after `<` looks like a tag rather than a type. */
static bool looks_like_jsx(struct ts_parser *p, uint32_t less)
{
    struct ts_mark mark = ts_mark(p);
    bool jsx = p->src[less + 1] == '>';
    if (!jsx) {
        ts_next(p);
        bool named = p->tok.kind == T_NAME;
        while (p->tok.kind == T_NAME && p->tok.word != W_CONST) {
            ts_next(p);
            if (!ts_accept(p, '.'))
                break;
        }
        struct ts_token after = ts_peek(p);
        jsx = p->tok.kind == '/' || (named && p->tok.kind == '{') || (p->tok.kind == T_NAME && p->tok.word != W_EXTENDS && (after.kind == '=' || after.kind == '/'));
    }
    ts_rewind(p, &mark);
    return jsx;
}

/* `<T>x`, or type parameters of an arrow function: one reading serves both.
 * The operand is put in parentheses where a line break or its first token would
 * otherwise change what the program means. */
static enum ts_shape angle_operand(struct ts_parser *p)
{
    uint32_t less = p->tok.start;
    if (looks_like_jsx(p, less)) {
        ts_fail(p, less, ts_no_jsx);
        return S_OPERAND;
    }
    ts_type_parameters(p);
    bool wrap = p->tok.kind == '{' || p->tok.word == W_FUNCTION || p->tok.word == W_CLASS ||
                ts_line_break_in(p, less, p->tok.start);
    if (wrap)
        ts_replace(p, less, p->prev_end, "(");
    else
        ts_blank(p, less, p->prev_end);
    p->cast_at = less + 1;
    enum ts_shape shape = ts_enter(p) ? unary(p) : S_OPERAND;
    ts_leave(p);
    if (wrap)
        ts_insert(p, p->prev_end, ")");
    return shape;
}

static bool prefix_operator(struct ts_parser *p)
{
    switch (p->tok.kind) {
    case '+':
    case '-':
    case '!':
    case '~':
    case T_INCREMENT:
    case T_DECREMENT:
        return true;
    case T_NAME:
        break;
    default:
        return false;
    }
    if (p->tok.word == W_TYPEOF || p->tok.word == W_VOID || p->tok.word == W_DELETE)
        return true;
    if (p->tok.word != W_AWAIT)
        return false;
    struct ts_token after = ts_peek(p);
    return ts_starts_expression(&after) && after.word != W_AS && after.word != W_SATISFIES;
}

static enum ts_shape unary(struct ts_parser *p)
{
    while (prefix_operator(p))
        ts_next(p);
    enum ts_shape shape = p->tok.kind == '<' ? angle_operand(p) : ts_operand(p);
    bool postfix = p->tok.kind == T_INCREMENT || p->tok.kind == T_DECREMENT;
    if (shape == S_OPERAND && postfix && !p->tok.newline)
        ts_next(p);
    return shape;
}

/* The operands that an `as` at this point would cover. */
struct covered {
    uint32_t start;
    int weakest; /* least binding power among their operators */
};

/* `a + b as T * c` means `(a + b) * c`: without the type it has to be said. */
static bool needs_grouping(struct ts_parser *p, const struct covered *left)
{
    int power = binary_power(p);
    return power > POWER_OF_AS && (left->weakest < power || p->tok.kind == T_POWER);
}

/* At `as` or `satisfies`. A `;` stays if the next line would join. */
static void type_assertion(struct ts_parser *p, const struct covered *left)
{
    uint32_t start = p->tok.start;
    ts_next(p);
    if (!ts_accept_word(p, W_CONST))
        ts_type(p);
    bool joins = p->tok.kind == '(' || p->tok.kind == '[' || p->tok.kind == T_TEMPLATE || p->tok.kind == T_TEMPLATE_HEAD;
    if (joins && p->tok.newline) {
        ts_replace(p, start, p->prev_end, ";");
    } else if (needs_grouping(p, left)) {
        ts_insert(p, left->start, "(");
        ts_replace(p, start, p->prev_end, ")");
    } else {
        ts_blank(p, start, p->prev_end);
    }
}

static bool is_assertion(const struct ts_parser *p)
{
    return p->tok.kind == T_NAME && (p->tok.word == W_AS || p->tok.word == W_SATISFIES);
}

/* Operands joined by binary operators. */
static enum ts_shape binary(struct ts_parser *p)
{
    struct covered left = {p->tok.start, 100};
    enum ts_shape shape = unary(p);
    int power;
    while (shape == S_OPERAND && (power = binary_power(p)) != 0) {
        if (is_assertion(p)) {
            type_assertion(p, &left);
            left.weakest = 100;
            continue;
        }
        ts_next(p);
        if (power < POWER_OF_AS)
            left = (struct covered){p->tok.start, 100};
        else if (power < left.weakest)
            left.weakest = power;
        shape = unary(p);
    }
    return shape;
}

/* At `?`: false if it marks an optional parameter. */
static bool consequent(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    if (after.kind == ':' || after.kind == ',' || after.kind == ')' || after.kind == '=')
        return false;
    struct ts_context saved = p->ctx;
    ts_next(p);
    p->ctx.no_in = false;
    p->ctx.before_colon = true;
    ts_assignment(p);
    p->ctx = saved;
    ts_expect(p, ':', ":");
    return true;
}

/* `yield` in a generator. True if an operand follows. */
static bool yield_operand(struct ts_parser *p)
{
    ts_next(p);
    if (p->tok.newline)
        return false;
    return ts_accept(p, '*') || ts_starts_expression(&p->tok) || (p->tok.kind == T_ASSIGN && p->src[p->tok.start] == '/');
}

/* One expression without commas. Chains of `=`, `?:` and `yield` are a loop, not recursion. */
enum ts_shape ts_assignment(struct ts_parser *p)
{
    enum ts_shape shape = S_OPERAND;
    if (!ts_enter(p)) {
        ts_leave(p);
        return shape;
    }
    for (;;) {
        if (p->ctx.generator && p->tok.word == W_YIELD) {
            if (!yield_operand(p))
                break;
            continue;
        }
        shape = binary(p);
        if (shape == S_ARROW)
            break;
        if (p->tok.kind == '?' && consequent(p))
            continue;
        if (p->tok.kind != '=' && p->tok.kind != T_ASSIGN)
            break;
        ts_next(p);
    }
    ts_leave(p);
    return shape;
}

void ts_expression(struct ts_parser *p)
{
    do
        ts_assignment(p);
    while (ts_accept(p, ','));
}
