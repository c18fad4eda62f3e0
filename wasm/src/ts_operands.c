/* Operands: literals, calls and member access, with their type arguments.
 *
 * `a < b > (c)` is a guess by TypeScript's own rule; a failed one is remembered.
 */
#include "ts_parser.h"

/* Enters brackets, where outer conditions on an expression do not hold. */
struct ts_context ts_open_brackets(struct ts_parser *p)
{
    struct ts_context saved = p->ctx;
    p->ctx.no_in = false;
    p->ctx.before_colon = false;
    return saved;
}

/* `[…]` of a key, as far as the closing bracket. */
void ts_computed_key(struct ts_parser *p)
{
    struct ts_context saved = ts_open_brackets(p);
    ts_next(p);
    ts_expression(p);
    p->ctx = saved;
    ts_expect(p, ']', "]");
}

static void template_literal(struct ts_parser *p)
{
    struct ts_context saved = ts_open_brackets(p);
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
    struct ts_context saved = ts_open_brackets(p);
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
    struct ts_context saved = ts_open_brackets(p);
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
        return ts_async_operand(p);
    default:
        if (ts_identifier(&p->tok))
            return ts_name_operand(p);
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
        return ts_parenthesis(p, false);
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

enum ts_shape ts_operand(struct ts_parser *p)
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
    ts_operand(p);
}
