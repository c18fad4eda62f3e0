/* Expressions. Operators are read as a flat list: only three things need to be
 * known about them, where an operand is due, what `as` covers, and whether an
 * arrow function ended the expression.
 *
 * A parenthesis is read once, as arguments that may also be parameters; what
 * follows it says which. Two questions need a guess that may be undone, as in
 * TypeScript: `a < b > (c)` and `x ? (a) : b => c : d`. A failed guess is
 * remembered, so that guesses inside guesses do not multiply.
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

/* Enters brackets, where outer conditions on an expression do not hold. */
static struct ts_context open_brackets(struct ts_parser *p)
{
    struct ts_context saved = p->ctx;
    p->ctx.no_in = false;
    p->ctx.before_colon = false;
    return saved;
}

/* `[…]` of a key, as far as the closing bracket. */
void ts_computed_key(struct ts_parser *p)
{
    struct ts_context saved = open_brackets(p);
    ts_next(p);
    ts_expression(p);
    p->ctx = saved;
    ts_expect(p, ']', "]");
}

static void template_literal(struct ts_parser *p)
{
    struct ts_context saved = open_brackets(p);
    while (p->tok.kind == T_TEMPLATE_HEAD) {
        ts_next(p);
        ts_expression(p);
        ts_continue_template(p);
    }
    p->ctx = saved;
    ts_next(p);
}

/* Elements of an array or arguments of a call, with both brackets. */
static void element_list(struct ts_parser *p, int close, const char *name)
{
    struct ts_context saved = open_brackets(p);
    ts_next(p);
    while (p->tok.kind != close && p->status == TS_OK) {
        ts_accept(p, T_ELLIPSIS);
        if (p->tok.kind != ',' || close != ']')
            ts_assignment(p);
        if (p->tok.kind != close && !ts_expect(p, ',', name))
            break;
    }
    p->ctx = saved;
    ts_expect(p, close, name);
}

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
static enum ts_shape covered_list(struct ts_parser *p, bool may_be_empty)
{
    uint32_t open = p->tok.start, annotation = 0;
    struct ts_context saved = open_brackets(p);
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
    return p->tok.kind == '(' ? covered_list(p, true) : S_OPERAND;
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

static enum ts_shape identifier(struct ts_parser *p)
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
static enum ts_shape async_operand(struct ts_parser *p)
{
    struct ts_token after = ts_peek(p);
    if (after.newline)
        return identifier(p);
    if (after.word == W_FUNCTION) {
        ts_next(p);
        ts_function_expression(p);
        return S_OPERAND;
    }
    if (after.kind == '(') {
        ts_next(p);
        return covered_list(p, true);
    }
    if (after.kind == '<') {
        ts_next(p);
        return try_async_parameters(p) ? S_ARROW : S_OPERAND;
    }
    if (!ts_identifier(&after))
        return identifier(p);
    struct ts_mark mark = ts_mark(p);
    ts_next(p);
    ts_next(p);
    if (p->tok.kind == T_ARROW && !p->tok.newline) {
        ts_arrow_body(p);
        return S_ARROW;
    }
    ts_rewind(p, &mark);
    return identifier(p);
}

static bool key_follows(const struct ts_token *after, int word)
{
    if (word == W_ASYNC && after->newline)
        return false;
    return after->kind == T_NAME || after->kind == T_STRING || after->kind == T_NUMBER || after->kind == '[' ||
           after->kind == T_PRIVATE || (word == W_ASYNC && after->kind == '*');
}

/* `get`, `set`, `async`, `*` before a key. True for a generator. */
static bool property_prefix(struct ts_parser *p)
{
    int word = p->tok.word;
    if (word == W_GET || word == W_SET || word == W_ASYNC) {
        struct ts_token after = ts_peek(p);
        if (key_follows(&after, word))
            ts_next(p);
    }
    return ts_accept(p, '*');
}

static void property(struct ts_parser *p)
{
    if (ts_accept(p, T_ELLIPSIS)) {
        ts_assignment(p);
        return;
    }
    bool generator = property_prefix(p);
    struct ts_token key = p->tok;
    if (key.kind == '[')
        ts_computed_key(p);
    else if (key.kind == T_NAME || key.kind == T_STRING || key.kind == T_NUMBER || key.kind == T_PRIVATE)
        ts_next(p);
    else
        ts_fail_token(p, NULL);
    if (p->tok.kind == '(' || p->tok.kind == '<') {
        if (!ts_signature_and_body(p, generator, NULL))
            ts_fail_token(p, "{");
        return;
    }
    if (ts_accept(p, ':')) {
        ts_assignment(p);
        return;
    }
    if (key.kind == T_NAME)
        ts_use(p, (struct ts_span){key.start, key.end});
    if (ts_accept(p, '='))
        ts_assignment(p);
}

static void object_literal(struct ts_parser *p)
{
    struct ts_context saved = open_brackets(p);
    ts_next(p);
    while (p->tok.kind != '}' && p->status == TS_OK) {
        property(p);
        if (p->tok.kind != '}' && !ts_expect(p, ',', "}"))
            break;
    }
    p->ctx = saved;
    ts_expect(p, '}', "}");
}

static bool statement_ends(const struct ts_parser *p)
{
    if (p->tok.kind == ';' || p->tok.kind == '}')
        return true;
    return p->tok.newline && (p->tok.kind == T_NAME || p->tok.kind == T_EOF);
}

/* `super(…)` of a constructor: the place to assign parameter properties. */
static void super_call(struct ts_parser *p, uint32_t start)
{
    struct ts_constructor *constructor = p->ctx.constructor;
    bool is_statement = start == p->statement_at;
    element_list(p, ')', ")");
    if (!constructor || constructor->assigned || !constructor->count)
        return;
    is_statement = is_statement && statement_ends(p);
    constructor->assigned = true;
    if (!is_statement)
        ts_insert(p, start, "(");
    ts_assign_properties(p, constructor, ',');
    if (!is_statement)
        ts_insert(p, p->prev_end, ",this)");
}

static void super_operand(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    ts_next(p);
    if (p->tok.kind == '(')
        super_call(p, start);
}

static enum ts_shape word_operand(struct ts_parser *p)
{
    switch (p->tok.word) {
    case W_FUNCTION:
        ts_function_expression(p);
        return S_OPERAND;
    case W_CLASS:
        ts_class(p);
        return S_OPERAND;
    case W_SUPER:
        super_operand(p);
        return S_OPERAND;
    case W_IMPORT:
        ts_next(p);
        if (p->tok.kind != '(' && p->tok.kind != '.')
            ts_fail_token(p, NULL);
        return S_OPERAND;
    case W_THIS:
    case W_NULL:
    case W_TRUE:
    case W_FALSE:
        ts_next(p);
        return S_OPERAND;
    case W_ASYNC:
        return async_operand(p);
    default:
        if (ts_identifier(&p->tok))
            return identifier(p);
        ts_fail_token(p, NULL);
        return S_OPERAND;
    }
}

static enum ts_shape primary(struct ts_parser *p)
{
    if (p->tok.kind == '/' || (p->tok.kind == T_ASSIGN && p->src[p->tok.start] == '/'))
        ts_as_regex(p);
    switch (p->tok.kind) {
    case T_NAME:
        return word_operand(p);
    case T_NUMBER:
    case T_STRING:
    case T_REGEX:
    case T_PRIVATE:
        ts_next(p);
        return S_OPERAND;
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
        template_literal(p);
        return S_OPERAND;
    case '(':
        return covered_list(p, false);
    case '[':
        element_list(p, ']', "]");
        return S_OPERAND;
    case '{':
        object_literal(p);
        return S_OPERAND;
    case '@':
        ts_refuse_decorator(p);
        return S_OPERAND;
    default:
        ts_fail_token(p, NULL);
        return S_OPERAND;
    }
}

/* What may follow type arguments in an expression, by TypeScript's own rule. */
static bool may_follow_type_arguments(struct ts_parser *p)
{
    switch (p->tok.kind) {
    case '(':
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
        return true;
    case '<':
    case '>':
    case '+':
    case '-':
        return false;
    case '/':
        return true;
    default:
        return p->tok.newline || !ts_starts_expression(&p->tok) || p->tok.word == W_AS || p->tok.word == W_SATISFIES;
    }
}

/* `f<T>(x)`. False, and nothing read, if `<` is the operator. */
static bool try_type_arguments(struct ts_parser *p)
{
    uint32_t start = p->tok.start;
    if (ts_bit(p->not_type_arguments, start))
        return false;
    struct ts_mark mark = ts_mark(p);
    ts_type_arguments(p);
    bool joined = p->src[p->prev_end] == '>' || p->src[p->prev_end] == '=';
    if (p->status == TS_OK && !joined && may_follow_type_arguments(p)) {
        ts_blank(p, start, p->prev_end);
        return true;
    }
    if (ts_rewind(p, &mark))
        ts_set_bit(p, &p->not_type_arguments, start);
    return false;
}

static void property_name(struct ts_parser *p)
{
    if (p->tok.kind != T_NAME && p->tok.kind != T_PRIVATE)
        ts_fail_token(p, NULL);
    ts_next(p);
}

/* `?.` and what it leads to. */
static void optional_access(struct ts_parser *p)
{
    ts_next(p);
    if (p->tok.kind == '<' || p->tok.kind == T_SHIFT_LEFT)
        ts_blank_type_arguments(p);
    if (p->tok.kind != '(' && p->tok.kind != '[')
        property_name(p);
}

/* One step of `a.b[c](d)`…``. False when the chain ends. */
static bool chain_step(struct ts_parser *p)
{
    switch (p->tok.kind) {
    case '.':
        ts_next(p);
        property_name(p);
        return true;
    case T_OPTIONAL_DOT:
        optional_access(p);
        return true;
    case '[':
        ts_computed_key(p);
        return true;
    case '(':
        element_list(p, ')', ")");
        return true;
    case T_TEMPLATE:
    case T_TEMPLATE_HEAD:
        template_literal(p);
        return true;
    case '!':
        if (p->tok.newline)
            return false;
        ts_blank(p, p->tok.start, p->tok.end);
        ts_next(p);
        return true;
    case '<':
    case T_SHIFT_LEFT:
        return try_type_arguments(p);
    default:
        return false;
    }
}

static enum ts_shape call_chain(struct ts_parser *p)
{
    bool is_new = p->tok.word == W_NEW;
    while (p->tok.word == W_NEW && p->tok.kind == T_NAME)
        ts_next(p);
    if (is_new && p->tok.kind == '.') {
        /* new.target */
    } else if (primary(p) == S_ARROW)
        return S_ARROW;
    while (chain_step(p))
        ;
    return S_OPERAND;
}

/* What `extends` takes. */
void ts_left_hand_side(struct ts_parser *p)
{
    call_chain(p);
}

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
    enum ts_shape shape = p->tok.kind == '<' ? angle_operand(p) : call_chain(p);
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
