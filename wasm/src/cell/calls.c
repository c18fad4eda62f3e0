/* Calls out of the cell: call_tool and call_tools (spec 3.1, 3.2), and the requests that carry them to the host.
 *
 * Arguments are read once, into JSON that native code writes; what the host records is what was sent. A reply is parsed
 * by native code too, and readied by reply.c.
 */

#define NAME_UNITS 1024
#define BATCH_LIMIT 100

__attribute__((import_module("toolcell"), import_name("wait"))) extern void host_wait(void);

/* ---- requests ---- */

/* Hands one request to the host at the next wait. */
static uint32_t post_request(const char *op, const Writer *payload)
{
    struct cell_request header = {++cell.last_call_id, (uint32_t)strlen(op), payload->len};
    uint32_t need = cell_mailbox.outbox_len + sizeof header + header.op_len + header.payload_len;
    uint8_t *at;

    cell.outbox = realloc(cell.outbox, need);
    if (!cell.outbox)
        cell_out_of_memory();
    at = cell.outbox + cell_mailbox.outbox_len;
    memcpy(at, &header, sizeof header);
    memcpy(at + sizeof header, op, header.op_len);
    memcpy(at + sizeof header + header.op_len, payload->buf, header.payload_len);
    cell_mailbox.outbox_ptr = (uint32_t)(uintptr_t)cell.outbox;
    cell_mailbox.outbox_len = need;
    return header.call_id;
}

/* Suspends until an answer is there, and returns it as NUL-terminated bytes that the caller frees. */
static char *await_answer(uint32_t waiting_for, uint32_t *len)
{
    char *text;

    cell_mailbox.waiting_for = waiting_for;
    cell_mailbox.state = CELL_WAITING;
    host_wait();
    cell_mailbox.state = CELL_RUNNING;
    cell_mailbox.outbox_len = 0;
    free(cell.outbox);
    cell.outbox = NULL;
    *len = cell_mailbox.answer_len;
    text = malloc(*len + 1);
    if (!text)
        cell_out_of_memory();
    if (*len <= TOOLCELL_INBOX_BYTES)
        memcpy(text, cell_mailbox.inbox, *len);
    else
        host_take(text, *len);
    text[*len] = 0;
    return text;
}

/* Sends one request and waits for its reply, as a value. */
static JSValue ask_host(JSContext *ctx, const char *op, Writer *payload)
{
    uint32_t len, id = post_request(op, payload);
    JSValue reply;
    char *text;

    writer_close(payload);
    text = await_answer(id, &len);
    reply = JS_ParseJSON(ctx, text, len, "<reply>");
    free(text);
    return reply;
}

/* ---- arguments ---- */

static JSValue error_envelope(JSContext *ctx, const char *code, const char *message)
{
    JSValue envelope = JS_NewObject(ctx), error = JS_NewObject(ctx);
    JS_DefinePropertyValueStr(ctx, error, "code", JS_NewString(ctx, code), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, error, "message", JS_NewString(ctx, message), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, error, "retryable", JS_FALSE, JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, envelope, "ok", JS_FALSE, JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, envelope, "error", error, JS_PROP_C_W_E);
    return envelope;
}

static const char *name_problem(JSContext *ctx, JSValueConst v)
{
    JSValue held;
    JSString *p;
    const char *what = NULL;

    if (!JS_IsString(v))
        return "must be a string";
    p = flat_string(ctx, v, &held);
    if (p->len == 0)
        what = "must not be empty";
    else if (p->len > NAME_UNITS)
        what = "is longer than 1024 characters";
    JS_FreeValue(ctx, held);
    return what;
}

static void put_member_string(JSContext *ctx, Writer *w, const char *key, JSValueConst v)
{
    JSValue held;
    put_text(w, key);
    put_json_string(w, flat_string(ctx, v, &held));
    JS_FreeValue(ctx, held);
}

static void say_too_large(char *what, size_t room, const Writer *w, uint64_t start)
{
    if (start == 0)
        snprintf(what, room, "args are %llu bytes of JSON, the limit is %u", (unsigned long long)w->total, w->limit);
    else
        snprintf(what, room, "with it the batch is %llu bytes of JSON, the limit is %u: send fewer or smaller elements",
                 (unsigned long long)w->total, w->limit);
}

/* Writes {"server":…,"tool":…,"args":…}; false with `what` filled when the arguments cannot be a call. */
static bool write_call(JSContext *ctx, Writer *w, JSValueConst server, JSValueConst tool, JSValueConst args, char *what,
                       size_t room)
{
    Json j = {ctx, w, "args", CALL_ARGS, ""};
    uint64_t start = w->total;
    const char *bad;
    uint32_t at;

    if ((bad = name_problem(ctx, server)))
        return snprintf(what, room, "server %s", bad), false;
    if ((bad = name_problem(ctx, tool)))
        return snprintf(what, room, "tool %s", bad), false;
    put_member_string(ctx, w, "{\"server\":", server);
    put_member_string(ctx, w, ",\"tool\":", tool);
    put_text(w, ",\"args\":");
    if (JS_IsUndefined(args)) {
        put_text(w, "{}}");
        return true;
    }
    if (!JS_IsObject(args) || JS_IsFunction(ctx, args) || js_is_array(ctx, args))
        return snprintf(what, room, "args must be an object such as {id: 1}"), false;
    at = w->len;
    if (write_any(&j, args, NULL, 1) != WROTE)
        return snprintf(what, room, "%s", j.problem[0] ? j.problem : "args must be an object"), false;
    if (!writer_full(w) && w->buf[at] != '{') /* a Date, a boxed number, what a toJSON gave */
        return snprintf(what, room, "args must be an object such as {id: 1}"), false;
    put_byte(w, '}');
    if (writer_full(w))
        return say_too_large(what, room, w, start), false;
    return true;
}

static JSValue invalid_args(JSContext *ctx, const char *function, const char *what)
{
    char message[800];
    snprintf(message, sizeof message, "%s: %s", function, what);
    return error_envelope(ctx, "INVALID_ARGS", message);
}

static JSValue js_call_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    char what[700];
    Writer w;
    JSValue reply;

    (void)this_val;
    writer_open(&w, cell_mailbox.args_limit);
    if (!write_call(ctx, &w, argc > 0 ? argv[0] : JS_UNDEFINED, argc > 1 ? argv[1] : JS_UNDEFINED,
                    argc > 2 ? argv[2] : JS_UNDEFINED, what, sizeof what)) {
        writer_close(&w);
        return invalid_args(ctx, "call_tool", what);
    }
    reply = ask_host(ctx, "call", &w);
    ready_envelope(ctx, reply);
    return reply;
}

/* ---- call_tools ---- */

typedef struct {
    JSContext *ctx;
    Writer *out;
    char what[800];
    bool threw; /* the program's own getter or proxy threw: its exception is pending */
} Batch;

static bool batch_problem(Batch *b, int64_t index, const char *what)
{
    if (index < 0)
        snprintf(b->what, sizeof b->what, "%s", what);
    else
        snprintf(b->what, sizeof b->what, "element %lld: %s", (long long)index, what);
    return false;
}

static bool batch_read(Batch *b, JSValueConst element, const char *key, JSValue *out)
{
    *out = JS_GetPropertyStr(b->ctx, element, key);
    b->threw |= JS_IsException(*out);
    return !b->threw;
}

static bool write_element(Batch *b, JSValueConst element, int64_t index)
{
    JSValue server = JS_UNDEFINED, tool = JS_UNDEFINED, args = JS_UNDEFINED;
    char what[700];
    bool ok;

    if (!JS_IsObject(element) || JS_IsFunction(b->ctx, element) || js_is_array(b->ctx, element))
        return batch_problem(b, index, "must be an object {server, tool, args}");
    ok = batch_read(b, element, "server", &server) && batch_read(b, element, "tool", &tool) &&
         batch_read(b, element, "args", &args);
    if (ok && !write_call(b->ctx, b->out, server, tool, args, what, sizeof what))
        ok = batch_problem(b, index, what);
    JS_FreeValue(b->ctx, server);
    JS_FreeValue(b->ctx, tool);
    JS_FreeValue(b->ctx, args);
    return ok;
}

static bool write_slot(Batch *b, JSValueConst requests, int64_t index)
{
    JSAtom atom = JS_NewAtomInt64(b->ctx, index);
    int present = JS_GetOwnProperty(b->ctx, NULL, requests, atom);
    JSValue element;
    bool ok;

    JS_FreeAtom(b->ctx, atom);
    if (present == 0)
        return batch_problem(b, index, "is missing (a hole in the array)");
    element = present < 0 ? JS_EXCEPTION : JS_GetPropertyInt64(b->ctx, requests, index);
    if (JS_IsException(element)) {
        b->threw = true;
        return false;
    }
    ok = write_element(b, element, index);
    JS_FreeValue(b->ctx, element);
    return ok;
}

static bool write_requests(Batch *b, JSValueConst requests)
{
    int is_array = js_is_array(b->ctx, requests);
    int64_t length;
    char what[96];

    if (is_array < 0 || (is_array && js_get_length64(b->ctx, &length, requests))) {
        b->threw = true;
        return false;
    }
    if (!is_array)
        return batch_problem(b, -1, "requests must be an array of {server, tool, args}");
    if (length > BATCH_LIMIT) {
        snprintf(what, sizeof what, "a batch has at most %d elements, this one has %lld", BATCH_LIMIT, (long long)length);
        return batch_problem(b, BATCH_LIMIT, what);
    }
    for (int64_t i = 0; i < length; i++) {
        if (i)
            put_byte(b->out, ',');
        if (!write_slot(b, requests, i))
            return false;
    }
    return true;
}

/* Writes `null` or the number; max_parallel is an integer 1..32. */
static bool write_max_parallel(Batch *b, JSValueConst options)
{
    JSValue v;
    double d = 0;
    char text[16];

    if (JS_IsUndefined(options)) {
        put_text(b->out, "null");
        return true;
    }
    if (!JS_IsObject(options) || JS_IsFunction(b->ctx, options) || js_is_array(b->ctx, options))
        return batch_problem(b, -1, "options must be an object such as {max_parallel: 8}");
    if (!batch_read(b, options, "max_parallel", &v))
        return false;
    if (JS_IsUndefined(v)) {
        put_text(b->out, "null");
        return true;
    }
    if (JS_IsNumber(v))
        JS_ToFloat64(b->ctx, &d, v);
    JS_FreeValue(b->ctx, v);
    if (!(d >= 1 && d <= 32 && d == (int)d))
        return batch_problem(b, -1, "options.max_parallel must be an integer from 1 to 32");
    put_bytes(b->out, text, (uint32_t)i32toa(text, (int)d));
    return true;
}

static bool write_batch(Batch *b, JSValueConst requests, JSValueConst options)
{
    put_text(b->out, "{\"requests\":[");
    if (!write_requests(b, requests))
        return false;
    put_text(b->out, "],\"max_parallel\":");
    if (!write_max_parallel(b, options))
        return false;
    put_byte(b->out, '}');
    if (writer_full(b->out)) {
        snprintf(b->what, sizeof b->what, "the batch is %llu bytes of JSON, the limit is %u",
                 (unsigned long long)b->out->total, b->out->limit);
        return false;
    }
    return true;
}

static void ready_envelopes(JSContext *ctx, JSValueConst slots)
{
    JSObject *p;
    if (!JS_IsObject(slots) || JS_VALUE_GET_OBJ(slots)->class_id != JS_CLASS_ARRAY)
        return;
    p = JS_VALUE_GET_OBJ(slots);
    for (uint32_t i = 0; p->fast_array && i < p->u.array.count; i++)
        ready_envelope(ctx, p->u.array.u.values[i]);
}

static JSValue js_call_tools(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    Writer w;
    Batch b = {.ctx = ctx, .out = &w};
    JSValue reply;

    (void)this_val;
    writer_open(&w, cell_mailbox.args_limit);
    if (!write_batch(&b, argc > 0 ? argv[0] : JS_UNDEFINED, argc > 1 ? argv[1] : JS_UNDEFINED)) {
        writer_close(&w);
        return b.threw ? JS_EXCEPTION : invalid_args(ctx, "call_tools", b.what);
    }
    if (starts_with((const char *)w.buf, (const char *)w.buf + w.len, "{\"requests\":[]")) {
        writer_close(&w);
        return JS_NewArray(ctx);
    }
    reply = ask_host(ctx, "calls", &w);
    ready_envelopes(ctx, reply);
    return reply;
}

static void init_calls(JSContext *ctx)
{
    JS_DefinePropertyValueStr(ctx, ctx->global_obj, "call_tool", JS_NewCFunction(ctx, js_call_tool, "call_tool", 3),
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_DefinePropertyValueStr(ctx, ctx->global_obj, "call_tools", JS_NewCFunction(ctx, js_call_tools, "call_tools", 2),
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}
