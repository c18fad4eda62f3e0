/* Functions: parameters, binding patterns, signatures, bodies. */
#include "ts_parser.h"

void ts_refuse_decorator(struct ts_parser *p)
{
    ts_fail(p, p->tok.start, "Decorators are not supported");
}

static void binding_default(struct ts_parser *p)
{
    struct ts_context saved = p->ctx;
    if (p->tok.kind != '=')
        return;
    ts_next(p);
    p->ctx.no_in = false;
    ts_assignment(p);
    p->ctx = saved;
}

static void array_pattern(struct ts_parser *p)
{
    ts_next(p);
    while (p->tok.kind != ']' && p->status == TS_OK) {
        if (ts_accept(p, ','))
            continue;
        ts_accept(p, T_ELLIPSIS);
        ts_binding(p);
        binding_default(p);
        if (p->tok.kind != ']' && !ts_expect(p, ',', "]"))
            break;
    }
    ts_expect(p, ']', "]");
}

static void pattern_property(struct ts_parser *p)
{
    if (ts_accept(p, T_ELLIPSIS)) {
        ts_binding(p);
        return;
    }
    struct ts_token key = p->tok, after = ts_peek(p);
    if (key.kind == '[')
        ts_computed_key(p);
    else if (key.kind == T_NAME && after.kind != ':')
        ts_binding(p);
    else if (key.kind == T_NAME || key.kind == T_STRING || key.kind == T_NUMBER)
        ts_next(p);
    else
        ts_fail_token(p, NULL);
    if (ts_accept(p, ':'))
        ts_binding(p);
    binding_default(p);
}

static void object_pattern(struct ts_parser *p)
{
    ts_next(p);
    while (p->tok.kind != '}' && p->status == TS_OK) {
        pattern_property(p);
        if (p->tok.kind != '}' && !ts_expect(p, ',', "}"))
            break;
    }
    ts_expect(p, '}', "}");
}

/* A name or a pattern to bind. Its names are declared and added to the list. */
void ts_binding(struct ts_parser *p)
{
    struct ts_span name = {p->tok.start, p->tok.end};
    if (ts_identifier(&p->tok)) {
        ts_next(p);
        if (!p->ambient) {
            ts_declare(p, name);
            TS_PUSH(p, p->names, name);
        }
        return;
    }
    if (ts_enter(p)) {
        if (p->tok.kind == '[')
            array_pattern(p);
        else if (p->tok.kind == '{')
            object_pattern(p);
        else
            ts_fail_token(p, NULL);
    }
    ts_leave(p);
}

static bool property_modifier(struct ts_parser *p)
{
    switch (p->tok.word) {
    case W_PUBLIC:
    case W_PRIVATE:
    case W_PROTECTED:
    case W_READONLY:
    case W_OVERRIDE:
        break;
    default:
        return false;
    }
    struct ts_token after = ts_peek(p);
    return after.kind == T_NAME || after.kind == '{' || after.kind == '[';
}

/* `this: T` is no parameter: gone with its comma. */
static void this_parameter(struct ts_parser *p)
{
    uint32_t start = p->tok.start, edits = p->edits.count;
    ts_next(p);
    if (p->tok.kind == ':')
        ts_blank_annotation(p);
    ts_accept(p, ',');
    ts_erase(p, edits, start, p->prev_end);
}

/* `?`, `: T` and `= x` after what is bound. */
static void parameter_tail(struct ts_parser *p)
{
    if (p->tok.kind == '?') {
        ts_blank(p, p->tok.start, p->tok.end);
        ts_next(p);
    }
    if (p->tok.kind == ':')
        ts_blank_annotation(p);
    binding_default(p);
}

/* One parameter. Leaves its name in the list only if it declares a property. */
static void parameter(struct ts_parser *p)
{
    uint32_t names = p->names.count;
    bool is_property = false;
    while (property_modifier(p)) {
        ts_blank(p, p->tok.start, p->tok.end);
        ts_next(p);
        is_property = true;
    }
    bool pattern = !ts_identifier(&p->tok);
    ts_accept(p, T_ELLIPSIS);
    if (is_property && pattern)
        ts_fail(p, p->tok.start, "A parameter property cannot be a binding pattern");
    ts_binding(p);
    uint32_t kept = is_property ? p->names.count : names;
    parameter_tail(p);
    p->names.count = kept < p->names.count ? kept : p->names.count;
}

/* `(…)` of a declared function. Names of parameter properties stay in the list. */
void ts_parameters(struct ts_parser *p)
{
    ts_expect(p, '(', "(");
    while (p->tok.kind != ')' && p->status == TS_OK) {
        if (p->tok.kind == '@')
            ts_refuse_decorator(p);
        if (p->tok.word == W_THIS) {
            this_parameter(p);
            continue;
        }
        parameter(p);
        if (p->tok.kind != ')' && !ts_expect(p, ',', ")"))
            break;
    }
    ts_expect(p, ')', ")");
}

static struct ts_context enter_function(struct ts_parser *p, bool generator)
{
    struct ts_context saved = p->ctx;
    p->ctx = (struct ts_context){.generator = generator, .scope = ++p->last_id};
    return saved;
}

/* At `{`. */
void ts_body(struct ts_parser *p, bool generator)
{
    struct ts_context saved = enter_function(p, generator);
    ts_next(p);
    ts_statements(p, '}');
    ts_expect(p, '}', "}");
    p->ctx = saved;
}

/* The body of a constructor that has parameter properties or may yet call super. */
static void constructor_body(struct ts_parser *p, struct ts_constructor *constructor)
{
    uint32_t inside = p->tok.end;
    struct ts_context saved = enter_function(p, false);
    p->ctx.constructor = constructor;
    ts_next(p);
    ts_statements(p, '}');
    ts_expect(p, '}', "}");
    p->ctx = saved;
    if (constructor->assigned || !constructor->count)
        return;
    uint32_t end = p->prev_end;
    p->prev_end = inside;
    ts_assign_properties(p, constructor, ';');
    p->prev_end = end;
}

/* From `<` or `(` to the end of the body. False if there is no body: an overload.
 * With constructor, collects parameter properties and has them assigned. */
bool ts_signature_and_body(struct ts_parser *p, bool generator, struct ts_constructor *constructor)
{
    uint32_t names = p->names.count;
    struct ts_context saved = enter_function(p, generator);
    ts_blank_type_parameters(p);
    ts_parameters(p);
    if (p->tok.kind == ':') {
        uint32_t start = p->tok.start;
        ts_next(p);
        ts_return_type(p);
        ts_blank(p, start, p->prev_end);
    }
    p->ctx = saved;
    bool has_body = p->tok.kind == '{';
    if (constructor) {
        constructor->first = names;
        constructor->count = p->names.count > names && !p->ambient ? p->names.count - names : 0;
        if (has_body)
            constructor_body(p, constructor);
        return has_body; /* the class still needs the names */
    }
    if (p->names.count > names)
        p->names.count = names;
    if (has_body)
        ts_body(p, generator);
    return has_body;
}

/* At `function`, `async` read. */
void ts_function_expression(struct ts_parser *p)
{
    ts_next(p);
    bool generator = ts_accept(p, '*');
    if (ts_identifier(&p->tok))
        ts_next(p);
    if (p->tok.kind != '(' && p->tok.kind != '<')
        ts_fail_token(p, "(");
    else if (!ts_signature_and_body(p, generator, NULL))
        ts_fail_token(p, "{");
}
