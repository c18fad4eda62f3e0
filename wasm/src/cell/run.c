/* One run, top to bottom: take the program, compile it, run it, settle its promises, write its value. */

/* ---- rejections that nobody handles ---- */

static struct {
    JSValue *promise;
    uint32_t count;
    uint32_t room;
} rejections;

static bool is_unhandled(JSValueConst promise)
{
    const JSPromiseData *s = JS_GetOpaque(promise, JS_CLASS_PROMISE);
    return s && s->promise_state == JS_PROMISE_REJECTED && !s->is_handled;
}

/* Forgets what was handled since; a program may reject and catch as often as it likes. */
static void sift_rejections(JSContext *ctx)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cell.rejected; i++) {
        if (is_unhandled(rejections.promise[i]))
            rejections.promise[kept++] = rejections.promise[i];
        else
            JS_FreeValue(ctx, rejections.promise[i]);
    }
    cell.rejected = kept;
}

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled, void *opaque)
{
    (void)reason, (void)opaque;
    if (is_handled)
        return;
    if (cell.rejected == rejections.room) {
        sift_rejections(ctx);
        if (cell.rejected * 2 >= rejections.room) {
            rejections.room = rejections.room ? rejections.room * 2 : 16;
            rejections.promise = realloc(rejections.promise, rejections.room * sizeof *rejections.promise);
            if (!rejections.promise)
                cell_out_of_memory();
        }
    }
    rejections.promise[cell.rejected++] = js_dup(promise);
}

static void end_with_exception(JSContext *ctx, JSValueConst value);

/* The first unhandled rejection other than that of the program's own promise. */
static bool end_with_rejection(JSContext *ctx, JSValueConst own)
{
    for (uint32_t i = 0; i < cell.rejected; i++) {
        JSValueConst promise = rejections.promise[i];
        if (!is_unhandled(promise) || (JS_IsObject(own) && JS_VALUE_GET_OBJ(own) == JS_VALUE_GET_OBJ(promise)))
            continue;
        JS_Throw(ctx, JS_PromiseResult(ctx, promise));
        end_with_exception(ctx, JS_UNDEFINED);
        return true;
    }
    return false;
}

/* ---- settling ---- */

static bool is_promise(JSValueConst v)
{
    return JS_IsObject(v) && JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_PROMISE;
}

static void end_with_exception(JSContext *ctx, JSValueConst value)
{
    struct refusal *r = ending_refusal(value);
    JSValue thrown = JS_GetException(ctx);
    if (r) {
        JS_FreeValue(ctx, thrown);
        end_with_refusal(ctx, r);
    } else {
        end_with_thrown(ctx, thrown);
    }
}

static void end_stuck(JSContext *ctx)
{
    struct refusal *r = ending_refusal(JS_UNDEFINED);
    if (r)
        end_with_refusal(ctx, r);
    else
        end_with(ENDING_RUNTIME_ERROR, "The program waits for a Promise that nothing can settle: no call and no timer is "
                                       "pending. Resolve it, or do not await it.");
}

static bool run_jobs(JSContext *ctx)
{
    JSContext *job_ctx;
    int status;
    while ((status = JS_ExecutePendingJob(ctx->rt, &job_ctx)) > 0) {
    }
    if (status < 0)
        end_with_exception(ctx, JS_UNDEFINED);
    return status == 0;
}

/* Awaits a promise by running jobs; takes the value, gives what it settles to. False when the run has ended. */
static bool settle(JSContext *ctx, JSValue *value)
{
    JSValue promise = *value;

    if (!run_jobs(ctx))
        return false;
    if (!is_promise(promise))
        return !end_with_rejection(ctx, JS_UNDEFINED);
    switch (JS_PromiseState(ctx, promise)) {
    case JS_PROMISE_REJECTED:
        JS_Throw(ctx, JS_PromiseResult(ctx, promise));
        end_with_exception(ctx, JS_UNDEFINED);
        return false;
    case JS_PROMISE_PENDING:
        if (!end_with_rejection(ctx, promise))
            end_stuck(ctx);
        return false;
    default:
        *value = JS_PromiseResult(ctx, promise);
        JS_FreeValue(ctx, promise);
        return !end_with_rejection(ctx, JS_UNDEFINED);
    }
}

/* The completion of a script with top-level await is wrapped: {value: …}. */
static JSValue unwrap_completion(JSContext *ctx, JSValue wrapped)
{
    JSValueConst inner = JS_UNDEFINED;
    JSValue value;
    if (JS_IsObject(wrapped))
        data_property(JS_VALUE_GET_OBJ(wrapped), JS_ATOM_value, &inner);
    value = js_dup(inner);
    JS_FreeValue(ctx, wrapped);
    return value;
}

/* A class is told from a function by its `prototype`, which nobody can assign to. */
static bool is_class(JSValueConst function)
{
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, JS_VALUE_GET_OBJ(function), JS_ATOM_prototype);
    return prs && !(prs->flags & JS_PROP_WRITABLE) && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL;
}

static bool call_export(JSContext *ctx, const Unit *unit, JSValue *value)
{
    JSValue exported = JS_GetPropertyStr(ctx, ctx->global_obj, unit->export_name);
    JSValue input;

    JS_FreeValue(ctx, *value);
    *value = exported;
    if (!JS_IsFunction(ctx, exported) || is_class(exported))
        return !JS_IsException(exported);
    input = JS_GetPropertyStr(ctx, ctx->global_obj, "input");
    *value = JS_Call(ctx, exported, JS_UNDEFINED, 1, vc(&input));
    JS_FreeValue(ctx, input);
    JS_FreeValue(ctx, exported);
    return !JS_IsException(*value);
}

/* Runs the unit to its value. False when the run has ended otherwise. */
static bool evaluate(JSContext *ctx, Unit *unit, JSValue *value)
{
    *value = JS_EvalFunction(ctx, unit->function);
    if (JS_IsException(*value)) {
        end_with_exception(ctx, JS_UNDEFINED);
        return false;
    }
    if (!settle(ctx, value))
        return false;
    if (unit->form == AS_ASYNC_SCRIPT)
        *value = unwrap_completion(ctx, *value);
    if (unit->exported && !call_export(ctx, unit, value)) {
        end_with_exception(ctx, JS_UNDEFINED);
        return false;
    }
    return settle(ctx, value);
}

/* ---- the value ---- */

static void end_with_value(JSContext *ctx, JSValueConst value)
{
    Writer w;
    Json j = {ctx, &w, "value", cell_mailbox.dialect == DIALECT_PINKFISH ? STRINGIFY : STRICT_VALUE, ""};
    Written written;

    writer_open(&w, cell_mailbox.result_limit);
    written = write_any(&j, value, NULL, 1);
    cell_mailbox.value_total = w.total > UINT32_MAX ? UINT32_MAX : (uint32_t)w.total;
    if (written == FAILED) {
        end_with(ENDING_SERIALIZATION_ERROR, j.problem);
    } else if (written == OMITTED && j.mode != STRINGIFY) {
        end_with(ENDING_SERIALIZATION_ERROR,
                 "The program returned nothing (undefined): end it with an expression, or return a value");
    } else if (writer_full(&w)) {
        cell_end(ENDING_RESULT_TOO_LARGE);
    } else {
        if (written == OMITTED)
            put_text(&w, "null");
        cell_mailbox.value_ptr = (uint32_t)(uintptr_t)w.buf;
        cell_mailbox.value_len = w.len;
        cell_end(ENDING_VALUE);
    }
}

static void finish(JSContext *ctx, JSValueConst value)
{
    struct refusal *r = ending_refusal(value);
    if (r)
        end_with_refusal(ctx, r);
    else
        end_with_value(ctx, value);
    if (cell_mailbox.ending == ENDING_VALUE && (r = ending_refusal(JS_UNDEFINED)))
        end_with_refusal(ctx, r); /* a getter of the value made one more call, and was refused */
}

/* ---- the program ---- */

typedef struct {
    char *source;
    uint32_t source_len;
    char *input;
    uint32_t input_len;
} Program;

static Program take_program(void)
{
    Program p = {.source_len = cell_mailbox.source_len, .input_len = cell_mailbox.input_len};
    uint64_t total = (uint64_t)p.source_len + p.input_len + 2;

    p.source = (char *)cell_mailbox.inbox;
    if (total > TOOLCELL_INBOX_BYTES) {
        p.source = total < cell_mailbox.memory_limit ? malloc((size_t)total) : NULL;
        if (!p.source)
            cell_out_of_memory();
        host_take(p.source, (uint32_t)total);
    }
    p.input = p.source + p.source_len + 1;
    p.source[p.source_len] = 0;
    p.input[p.input_len] = 0;
    return p;
}

struct strip {
    const Program *program;
    struct ts_result result;
    int status;
};

static void strip_here(void *arg)
{
    struct strip *s = arg;
    s->status = ts_strip(s->program->source, s->program->source_len, &s->result);
}

/* Strips types in place of the source; false when the run has ended. */
static bool strip_types(Program *p)
{
    struct strip strip = {.program = p};

    on_second_stack(strip_here, &strip); /* a parser recurses */
    if (strip.status != TS_OK) {
        end_at(ENDING_TRANSPILE_ERROR, strip.result.message, strip.result.line, strip.result.column);
        return false;
    }
    p->source = strip.result.text;
    p->source_len = (uint32_t)strip.result.len;
    return true;
}

static bool define_input(JSContext *ctx, const Program *p)
{
    bool empty = p->input_len == 2 && p->input[0] == '{' && p->input[1] == '}';
    JSValue input = empty ? JS_NewObject(ctx) : JS_ParseJSON(ctx, p->input, p->input_len, "<input>");

    if (JS_IsException(input)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        end_with(ENDING_INTERNAL, "input is not JSON");
        return false;
    }
    JS_SetPropertyStr(ctx, ctx->global_obj, "input", input); /* defined at build time: its place is there */
    return true;
}

static void run_program(JSContext *ctx)
{
    Program p = take_program();
    bool typescript = cell_mailbox.language == LANGUAGE_TYPESCRIPT;
    JSValue value;
    Unit unit;

    if (!define_input(ctx, &p))
        return;
    if (p.source_len >= 3 && !memcmp(p.source, "\xef\xbb\xbf", 3))
        p.source += 3, p.source_len -= 3;
    typescript |= strip_fence(p.source, p.source_len);
    if (typescript && !strip_types(&p))
        return;
    if (!compile_unit(ctx, p.source, p.source_len, &unit))
        return;
    if (unit.exported)
        JS_DefinePropertyValueStr(ctx, ctx->global_obj, anonymous_export, JS_UNDEFINED, JS_PROP_C_W_E);
    if (evaluate(ctx, &unit, &value))
        finish(ctx, value);
}

__attribute__((export_name("run"))) void run(void)
{
    cell_mailbox.state = CELL_RUNNING;
    cell.rt->malloc_gc_threshold = cell_gc_threshold(cell.rt->malloc_state.malloc_size);
    seed_math_random(cell.ctx);
    run_program(cell.ctx);
}

/* ---- build time ---- */

__attribute__((export_name("init"))) int init(void)
{
    cell_mailbox.memory_limit = 1u << 30;
    large_init();
    cell.heap.planning = true;
    cell.rt = JS_NewRuntime2(&runtime_functions, NULL);
    if (!cell.rt)
        return 1;
    cell.rt->stack_limit = FIRST_STACK_LIMIT;
    JS_SetHostPromiseRejectionTracker(cell.rt, on_rejection, NULL);
    cell.ctx = JS_NewContext(cell.rt);
    if (!cell.ctx)
        return 2;
    init_error_text(cell.ctx);
    init_calls(cell.ctx);
    if (web_init(cell.ctx))
        return 3;
    JS_RunGC(cell.rt);
    JS_DefinePropertyValueStr(cell.ctx, cell.ctx->global_obj, "input", JS_UNDEFINED, JS_PROP_C_W_E);
    leave_holes_behind();
    return 0;
}
