"""The changes made to the pinned quickjs.c before it is compiled; each names its reason.

Every `old` must occur exactly `times`: a new upstream version that moves the text fails the build instead of silently
losing a fix. Owned by `build.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One textual change: `old` becomes `new`, and must be there exactly `times`."""

    reason: str
    old: str
    new: str
    times: int = 1


QUICKJS: tuple[Patch, ...] = (
    Patch(
        reason="hooks that the patched parser and runtime call; defined further down the same translation unit",
        old="typedef struct JSParseState {",
        new="""static bool cell_top_level_return(void);
static bool cell_await_is_keyword(void);
static void cell_note_syntax_error(const uint8_t *at);
static int cell_token_column(const uint8_t *line_start, const uint8_t *at);

typedef struct JSParseState {""",
    ),
    Patch(
        reason="spec 2.3: `return` at the top level, where the program is compiled as the body of an async function",
        old='        if (s->cur_func->is_eval) {\n            js_parse_error(s, "return not in a function");',
        new="        if (s->cur_func->is_eval && !cell_top_level_return()) {\n"
        '            js_parse_error(s, "return not in a function");',
    ),
    Patch(
        reason="a function body has no completion value: it ends in undefined (dispose path)",
        old="""            emit_op(s, OP_using_dispose_end);
        }

        if (!s->is_module) {
            if (fd->func_kind == JS_FUNC_ASYNC) {
                emit_op(s, OP_object);""",
        new="""            emit_op(s, OP_using_dispose_end);
        }

        if (!s->is_module && !cell_top_level_return()) {
            if (fd->func_kind == JS_FUNC_ASYNC) {
                emit_op(s, OP_object);""",
    ),
    Patch(
        reason="a function body has no completion value: it ends in undefined (plain path)",
        old="""    } else {
        if (!s->is_module) {
            if (fd->func_kind == JS_FUNC_ASYNC) {
                emit_op(s, OP_object);""",
        new="""    } else {
        if (!s->is_module && !cell_top_level_return()) {
            if (fd->func_kind == JS_FUNC_ASYNC) {
                emit_op(s, OP_object);""",
    ),
    Patch(
        reason="a `return` may be the last thing of a program",
        old="        if (s->token.val != ';' && s->token.val != '}' && !s->got_lf) {\n"
        "            if (js_parse_expr(s))\n                goto fail;\n            emit_return(s, true);",
        new="        if (s->token.val != ';' && s->token.val != '}' && s->token.val != TOK_EOF && !s->got_lf) {\n"
        "            if (js_parse_expr(s))\n                goto fail;\n            emit_return(s, true);",
    ),
    Patch(
        reason="`await (…)` in a program awaits, and does not call a function of that name",
        old="""        (s->token.u.ident.atom == JS_ATOM_await &&
         (s->is_module ||
          (s->cur_func->func_kind & JS_FUNC_ASYNC) ||
          s->cur_func->func_type == JS_PARSE_FUNC_CLASS_STATIC_INIT ||""",
        new="""        (s->token.u.ident.atom == JS_ATOM_await &&
         (s->is_module || cell_await_is_keyword() ||
          (s->cur_func->func_kind & JS_FUNC_ASYNC) ||
          s->cur_func->func_type == JS_PARSE_FUNC_CLASS_STATIC_INIT ||""",
    ),
    Patch(
        reason="an error is at least in the line of its statement; upstream falls back to the function's first",
        old="""    /* specific label handling */
    /* XXX: support multiple labels on loop statements */
    label_name = JS_ATOM_NULL;""",
        new="""    emit_source_loc(s);
    /* specific label handling */
    /* XXX: support multiple labels on loop statements */
    label_name = JS_ATOM_NULL;""",
    ),
    Patch(
        reason="where a call, a member and an element are: at the callee, the property's name and the bracket",
        old="""    int optional_chaining_label;
    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;
""",
        new="""    int optional_chaining_label;
    int callee_line = s->token.line_num, callee_column = s->token.col_num;
    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;
""",
    ),
    Patch(
        reason="reading a property of undefined is placed at the property's name, as in other engines",
        old="""        parse_property:
            if (s->token.val == TOK_PRIVATE_NAME) {""",
        new="""        parse_property:
            callee_line = s->token.line_num;
            callee_column = s->token.col_num;
            emit_source_loc(s);
            if (s->token.val == TOK_PRIVATE_NAME) {""",
    ),
    Patch(
        reason="the same for an element: at its bracket, which the index's own places must not hide",
        old="""        parse_array_access:
            prev_op = get_prev_opcode(fd);""",
        new="""        parse_array_access:
            callee_line = s->token.line_num;
            callee_column = s->token.col_num;
            prev_op = get_prev_opcode(fd);""",
    ),
    Patch(
        reason="the same for an element, where it is read",
        old="""                emit_op(s, OP_get_super_value);
            } else {
                emit_op(s, OP_get_array_el);""",
        new="""                emit_op(s, OP_get_super_value);
            } else {
                emit_source_loc_at(s, callee_line, callee_column);
                emit_op(s, OP_get_array_el);""",
    ),
    Patch(
        reason="a call is placed at its callee; upstream places it at its first argument, or at what that names last",
        old="            emit_func_call:\n                switch(opcode) {",
        new="            emit_func_call:\n                emit_source_loc_at(s, callee_line, callee_column);\n"
        "                switch(opcode) {",
    ),
    Patch(
        reason="the same for a call with a spread argument",
        old="                /* apply function call */\n                switch(opcode) {",
        new="                /* apply function call */\n"
        "                emit_source_loc_at(s, callee_line, callee_column);\n                switch(opcode) {",
    ),
    Patch(
        reason="columns are those of the token, in UTF-16 units; upstream counts from the last white space",
        old="    s->token.col_num = max_int(1, s->mark - s->eol);",
        new="    s->token.col_num = cell_token_column(s->token.line_start, s->token.ptr);",
    ),
    Patch(
        reason="the same for an identifier, whose place upstream counts in bytes",
        old="""            int identifier_col_num =
                (int)(s->token.ptr - s->line_start) + 1;""",
        new="            int identifier_col_num = s->token.col_num;",
    ),
    Patch(
        reason="spec 2.7: what to use instead of a module",
        old="""        JS_ThrowReferenceError(ctx, "could not load module '%s'",
                               cname);""",
        new="""        JS_ThrowReferenceError(ctx, "cannot import '%.40s': %s", cname, cell_absence_hint("import"));""",
    ),
    Patch(
        reason="the offset of a syntax error, for its line and column and to tell which form got furthest",
        old="    int err_col_num = s->token.col_num;\n",
        new="    int err_col_num = s->token.col_num;\n    cell_note_syntax_error(s->token.ptr);\n",
    ),
    Patch(
        reason="WebAssembly has no computed goto: a plain switch compiles to less (5 to 10 % on every workload)",
        old="#define DIRECT_DISPATCH  1",
        new="#define DIRECT_DISPATCH  0",
    ),
    Patch(
        reason="fuel stops a program; the engine's own interrupt counter is not used",
        old="    if (unlikely(--ctx->interrupt_counter <= 0)) {",
        new="    if (0) {",
    ),
    Patch(
        reason="the room a call must find on the first stack, or it goes on on the second: callees only check",
        old="static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)",
        new="#define CELL_CALL_ROOM (24 * 1024)\n#define CELL_NATIVE_ROOM (40 * 1024)\n\n"
        "static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)",
    ),
    Patch(
        reason="the completion of an async script is defined, not set: Object.prototype has no say (spec 2.4)",
        old="""                emit_op(s, OP_object);
                emit_op(s, OP_dup);
                emit_op(s, OP_get_loc);
                emit_u16(s, fd->eval_ret_idx);
                emit_op(s, OP_put_field);
                emit_atom(s, JS_ATOM_value);""",
        new="""                emit_op(s, OP_object);
                emit_op(s, OP_null);
                emit_op(s, OP_set_proto);
                emit_op(s, OP_get_loc);
                emit_u16(s, fd->eval_ret_idx);
                emit_op(s, OP_define_field);
                emit_atom(s, JS_ATOM_value);""",
        times=2,
    ),
    Patch(
        reason="a frame larger than the whole stack must not pass the check by wrapping around below address 0",
        old="""    sp = js_get_stack_pointer() - alloca_size;
    return unlikely(sp < rt->stack_limit);""",
        new="""    sp = js_get_stack_pointer();
    return unlikely(sp < rt->stack_limit || sp - rt->stack_limit < alloca_size);""",
    ),
    Patch(
        reason="spreading a string into an object copies its characters (ECMAScript 7.3.26)",
        old="    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)\n        return 0;\n",
        new="""    if (JS_IsString(source)) {
        JSValue boxed = JS_ToObject(ctx, source);
        int copied = JS_IsException(boxed) ? -1 : JS_CopyDataProperties(ctx, target, boxed, excluded, setprop);
        JS_FreeValue(ctx, boxed);
        return copied;
    }
    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)
        return 0;
""",
    ),
    Patch(
        reason="making an error runs none of the program's code: its frames cannot be forged",
        old="        has_prepare = JS_IsFunction(ctx, prepare);",
        new="        JS_FreeValue(ctx, prepare);",
    ),
    Patch(
        reason="the same error for every string that would be too long, as in other engines",
        old='        JS_ThrowInternalError(ctx, "string too long");',
        new='        JS_ThrowRangeError(ctx, "invalid string length");',
    ),
    Patch(
        reason="the same words for reading and writing",
        old="\"cannot set property '%s' of ",
        new="\"Cannot set property '%s' of ",
        times=2,
    ),
    Patch(
        reason="a call that finds the first stack used up goes on on the second (stack.c)",
        old="""    if (js_check_stack_overflow(rt, alloca_size))
        return JS_ThrowStackOverflow(caller_ctx);

    sf->is_strict_mode""",
        new="""    if (js_check_stack_overflow(rt, alloca_size + CELL_CALL_ROOM)) {
        if (cell_cross_call(caller_ctx, func_obj, this_obj, new_target, argc, argv, flags, &ret_val))
            return ret_val;
        if (js_check_stack_overflow(rt, alloca_size))
            return JS_ThrowStackOverflow(caller_ctx);
    }

    sf->is_strict_mode""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="/* argv[] is modified if (flags & JS_CALL_FLAG_COPY_ARGV) = 0. */\nstatic JSValue JS_CallInternal(",
        new="""static bool cell_cross_call(JSContext *ctx, JSValueConst function, JSValueConst this_value,
                            JSValueConst new_target, int argc, JSValueConst *argv, int flags, JSValue *result);

/* argv[] is modified if (flags & JS_CALL_FLAG_COPY_ARGV) = 0. */
static JSValue JS_CallInternal(""",
    ),
    Patch(
        reason="a native function may recurse without a check of its own: it gets room, or the second stack",
        old="""    if (js_check_stack_overflow(rt, sizeof(arg_buf[0]) * arg_count))
        return JS_ThrowStackOverflow(ctx);

    prev_sf""",
        new="""    if (js_check_stack_overflow(rt, CELL_NATIVE_ROOM)) {
        JSValue crossed;
        if (cell_cross_native(ctx, func_obj, this_obj, argc, argv, flags, &crossed))
            return crossed;
        if (js_check_stack_overflow(rt, sizeof(arg_buf[0]) * arg_count))
            return JS_ThrowStackOverflow(ctx);
    }

    prev_sf""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static JSValue js_call_c_function(JSContext *ctx, JSValueConst func_obj,\n"
        "                                  JSValueConst this_obj,\n"
        "                                  int argc, JSValueConst *argv, int flags)\n{",
        new="""static bool cell_cross_native(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc,
                              JSValueConst *argv, int flags, JSValue *result);

static JSValue js_call_c_function(JSContext *ctx, JSValueConst func_obj,
                                  JSValueConst this_obj,
                                  int argc, JSValueConst *argv, int flags)
{""",
    ),
    Patch(
        reason="a generator or an async function that finds the first stack used up goes on on the second",
        old="""    if (js_check_stack_overflow(ctx->rt, 0))
        return JS_ThrowStackOverflow(ctx);

    /* the tag does not matter provided it is not an object */
    func_obj = JS_MKPTR(JS_TAG_INT, s);""",
        new="""    if (js_check_stack_overflow(ctx->rt, CELL_CALL_ROOM)) {
        if (cell_cross_resume(ctx, s, &func_obj))
            return func_obj;
        if (js_check_stack_overflow(ctx->rt, 0))
            return JS_ThrowStackOverflow(ctx);
    }

    /* the tag does not matter provided it is not an object */
    func_obj = JS_MKPTR(JS_TAG_INT, s);""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static JSValue async_func_resume(JSContext *ctx, JSAsyncFunctionState *s)\n{",
        new="""static bool cell_cross_resume(JSContext *ctx, JSAsyncFunctionState *state, JSValue *result);

static JSValue async_func_resume(JSContext *ctx, JSAsyncFunctionState *s)
{""",
    ),
    Patch(
        reason="JSON.parse of nested text goes on on the second stack",
        old="""    JSValue val = JS_NULL;
    int ret;

    if (js_check_stack_overflow(ctx->rt, 0)) {
        return JS_ThrowStackOverflow(ctx);
    }

    if (pr) {""",
        new="""    JSValue val = JS_NULL;
    int ret;

    if (js_check_stack_overflow(ctx->rt, 0)) {
        if (cell_cross_json_parse(s, pr, &val))
            return val;
        return JS_ThrowStackOverflow(ctx);
    }

    if (pr) {""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="/* 'pr' can be NULL */\nstatic JSValue json_parse_value(JSParseState *s, JSONParseRecord *pr)\n{",
        new="""static bool cell_cross_json_parse(JSParseState *state, JSONParseRecord *record, JSValue *result);

/* 'pr' can be NULL */
static JSValue json_parse_value(JSParseState *s, JSONParseRecord *pr)
{""",
    ),
    Patch(
        reason="so does JSON.stringify of a nested value",
        old="""    prop = JS_UNDEFINED;

    if (js_check_stack_overflow(ctx->rt, 0)) {
        JS_ThrowStackOverflow(ctx);
        goto exception;
    }
""",
        new="""    prop = JS_UNDEFINED;

    if (js_check_stack_overflow(ctx->rt, 0)) {
        if (cell_cross_json_text(ctx, jsc, holder, val, indent, &ret))
            return ret;
        JS_ThrowStackOverflow(ctx);
        goto exception;
    }
""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static int js_json_to_str(JSContext *ctx, JSONStringifyContext *jsc,\n",
        new="""static bool cell_cross_json_text(JSContext *ctx, JSONStringifyContext *json, JSValueConst holder,
                                 JSValue value, JSValueConst indent, int *result);

static int js_json_to_str(JSContext *ctx, JSONStringifyContext *jsc,
""",
    ),
    Patch(
        reason="our allocator (memory.c) in place of the size-classed arenas, which touch a page for each class",
        old="void *js_calloc_rt(JSRuntime *rt, size_t count, size_t size)\n{",
        new="""static inline void *cell_alloc(size_t size);
static void *cell_calloc(size_t size);
static void *cell_realloc(void *ptr, size_t size);
static inline void cell_free(void *ptr);
static inline size_t cell_block_size(const void *ptr);
#define js_arena_malloc(rt, size) cell_alloc(size)
#define js_arena_calloc(rt, count, size) cell_calloc((count) * (size))
#define js_arena_realloc(rt, ptr, size) cell_realloc(ptr, size)
#define js_arena_free(rt, ptr) cell_free(ptr)
#define js_arena_usable_size(rt, ptr) cell_block_size(ptr)

void *js_calloc_rt(JSRuntime *rt, size_t count, size_t size)
{""",
    ),
    Patch(
        reason="a refusal notices the first look at `ok` or `error` (calls.c); no module needs this place",
        old="    js_module_ns_autoinit, /* JS_AUTOINIT_ID_MODULE_NS */",
        new="    cell_refusal_member, /* JS_AUTOINIT_ID_MODULE_NS */",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static JSAutoInitFunc *const js_autoinit_func_table[] = {",
        new="static JSValue cell_refusal_member(JSContext *ctx, JSObject *p, JSAtom prop, void *opaque);\n\n"
        "static JSAutoInitFunc *const js_autoinit_func_table[] = {",
    ),
    Patch(
        reason="text that nests too deeply for the parser has a place too",
        old="""    if (js_check_stack_overflow(s->ctx->rt, 1000)) {
        JS_ThrowStackOverflow(s->ctx);""",
        new="""    if (js_check_stack_overflow(s->ctx->rt, 1000)) {
        cell_note_syntax_error(s->buf_ptr);
        JS_ThrowStackOverflow(s->ctx);""",
        times=2,
    ),
    Patch(
        reason="collect cycles before garbage alone can reach the cell's memory limit",
        old="""        rt->malloc_gc_threshold = rt->malloc_state.malloc_size +
            (rt->malloc_state.malloc_size >> 1);""",
        new="        rt->malloc_gc_threshold = cell_gc_threshold(rt->malloc_state.malloc_size);",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static void js_trigger_gc(JSRuntime *rt, size_t size)\n{",
        new="static size_t cell_gc_threshold(size_t live);\n\nstatic void js_trigger_gc(JSRuntime *rt, size_t size)\n{",
    ),
    Patch(
        reason="one request larger than the whole limit is a RangeError, as in other engines (memory.c)",
        old='        JS_ThrowInternalError(ctx, "out of memory");',
        new='        JS_ThrowRangeError(ctx, "out of memory: one value is larger than a cell\'s memory");',
    ),
    Patch(
        reason="the engine's words in the case that every document and peer uses",
        old="\"cannot read property '%s' of ",
        new="\"Cannot read property '%s' of ",
        times=4,
    ),
    Patch(
        reason="spec 2.7: an absent global says what to use instead",
        old="""    return JS_ThrowReferenceError(ctx, "%s is not defined",
                                  JS_AtomGetStr(ctx, buf, sizeof(buf), name));
}

static JSValue JS_ThrowReferenceErrorUninitialized""",
        new="""    const char *hint = cell_absence_hint(JS_AtomGetStr(ctx, buf, sizeof(buf), name));
    return JS_ThrowReferenceError(ctx, "%s is not defined%s%s", buf, hint ? ": " : "", hint ? hint : "");
}

static JSValue JS_ThrowReferenceErrorUninitialized""",
    ),
    Patch(
        reason="declaration for the patch above",
        old="static JSValue JS_ThrowReferenceErrorNotDefined(JSContext *ctx, JSAtom name)\n{",
        new="static const char *cell_absence_hint(const char *name);\n\n"
        "static JSValue JS_ThrowReferenceErrorNotDefined(JSContext *ctx, JSAtom name)\n{",
    ),
)


def apply(source: str, patches: tuple[Patch, ...]) -> str:
    """The patched source; `ValueError` names the first patch whose text is not there as often as it must be."""
    for patch in patches:
        found = source.count(patch.old)
        if found != patch.times:
            msg = f"patch does not fit ({found} places, expected {patch.times}): {patch.reason}"
            raise ValueError(msg)
        source = source.replace(patch.old, patch.new)
    return source
