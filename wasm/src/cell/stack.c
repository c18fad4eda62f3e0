/* Two stacks: a small one in the part of memory that stays resident between cells, and a large one for what recurses.
 *
 * A page outside of the resident part costs a cell a page fault and a flush, so an ordinary program must not touch one.
 * When the first stack is nearly used up, the call that found it so goes on on the second, which is made then; the stack
 * check knows by its limit which one it is on. Never nested: from the second stack there is no third.
 */

#define FIRST_STACK_LIMIT (16 * 1024) /* the first stack ends at address 0: what is below serves code without a check */
#define SECOND_STACK_BYTES (1024 * 1024)
#define SECOND_STACK_MARGIN (124 * 1024)

/* Sets the stack pointer and returns the one before. It has no frame of its own. */
static no_inline uintptr_t swap_stack_pointer(uintptr_t pointer)
{
    uintptr_t before;
    __asm__ volatile(".globaltype __stack_pointer, i32\n"
                     "global.get __stack_pointer\n"
                     "local.set %0\n"
                     "local.get %1\n"
                     "global.set __stack_pointer"
                     : "=&r"(before) /* early clobber: it must not share a local with the argument */
                     : "r"(pointer));
    return before;
}

static bool on_first_stack(void)
{
    return cell.rt->stack_limit == FIRST_STACK_LIMIT;
}

/* Runs step(arg) on the second stack. False, and nothing is done, when this is the second stack already. */
static no_inline bool on_second_stack(void (*step)(void *), void *arg)
{
    uintptr_t first;

    if (!on_first_stack())
        return false;
    if (!cell.second_stack)
        cell.second_stack = cell_reserve(SECOND_STACK_BYTES);
    cell.rt->stack_limit = (uintptr_t)cell.second_stack + SECOND_STACK_MARGIN;
    first = swap_stack_pointer(((uintptr_t)cell.second_stack + SECOND_STACK_BYTES) & ~(uintptr_t)15);
    step(arg);
    swap_stack_pointer(first);
    cell.rt->stack_limit = FIRST_STACK_LIMIT;
    return true;
}

/* ---- what the patched engine does where its stack check fails ---- */

struct crossing_call {
    JSContext *ctx;
    JSValueConst function, this_value, new_target;
    int argc;
    JSValueConst *argv;
    int flags;
    JSValue result;
};

static void continue_call(void *arg)
{
    struct crossing_call *c = arg;
    c->result = JS_CallInternal(c->ctx, c->function, c->this_value, c->new_target, c->argc, c->argv, c->flags);
}

static bool cell_cross_call(JSContext *ctx, JSValueConst function, JSValueConst this_value, JSValueConst new_target, int argc,
                            JSValueConst *argv, int flags, JSValue *result)
{
    struct crossing_call c = {ctx, function, this_value, new_target, argc, argv, flags, JS_UNDEFINED};
    if (!on_second_stack(continue_call, &c))
        return false;
    *result = c.result;
    return true;
}

static void continue_native(void *arg)
{
    struct crossing_call *c = arg;
    c->result = js_call_c_function(c->ctx, c->function, c->this_value, c->argc, c->argv, c->flags);
}

static bool cell_cross_native(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc, JSValueConst *argv,
                              int flags, JSValue *result)
{
    struct crossing_call c = {ctx, function, this_value, JS_UNDEFINED, argc, argv, flags, JS_UNDEFINED};
    if (!on_second_stack(continue_native, &c))
        return false;
    *result = c.result;
    return true;
}

struct crossing_resume {
    JSContext *ctx;
    JSAsyncFunctionState *state;
    JSValue result;
};

static void continue_resume(void *arg)
{
    struct crossing_resume *c = arg;
    c->result = async_func_resume(c->ctx, c->state);
}

static bool cell_cross_resume(JSContext *ctx, JSAsyncFunctionState *state, JSValue *result)
{
    struct crossing_resume c = {ctx, state, JS_UNDEFINED};
    if (!on_second_stack(continue_resume, &c))
        return false;
    *result = c.result;
    return true;
}

struct crossing_parse {
    JSParseState *state;
    JSONParseRecord *record;
    JSValue result;
};

static void continue_parse(void *arg)
{
    struct crossing_parse *c = arg;
    c->result = json_parse_value(c->state, c->record);
}

static bool cell_cross_json_parse(JSParseState *state, JSONParseRecord *record, JSValue *result)
{
    struct crossing_parse c = {state, record, JS_UNDEFINED};
    if (!on_second_stack(continue_parse, &c))
        return false;
    *result = c.result;
    return true;
}

struct crossing_text {
    JSContext *ctx;
    JSONStringifyContext *json;
    JSValueConst holder;
    JSValue value;
    JSValueConst indent;
    int result;
};

static void continue_text(void *arg)
{
    struct crossing_text *c = arg;
    c->result = js_json_to_str(c->ctx, c->json, c->holder, c->value, c->indent);
}

static bool cell_cross_json_text(JSContext *ctx, JSONStringifyContext *json, JSValueConst holder, JSValue value,
                                 JSValueConst indent, int *result)
{
    struct crossing_text c = {ctx, json, holder, value, indent, 0};
    if (!on_second_stack(continue_text, &c))
        return false;
    *result = c.result;
    return true;
}
