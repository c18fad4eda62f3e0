/* What went wrong, in words: reads a thrown value without running any of the program's code.
 *
 * Message and stack are bounded; a frame of the program reads `<eval>:line:col`, no host path is ever in it.
 */

#define MESSAGE_BYTES 8192
#define STACK_BYTES 8192
#define MESSAGE_UNITS 6000 /* UTF-16 units kept of one string, so that the text fits with what is said around it */

typedef struct {
    uint32_t ending;
    const char *message;
    uint32_t message_len;
    uint32_t line;
    uint32_t column;
} Failure;

static JSString *flat_string(JSContext *ctx, JSValueConst v, JSValue *held)
{
    if (!JS_IsString(v)) {
        *held = JS_AtomToString(ctx, JS_ATOM_empty_string);
        return JS_VALUE_GET_STRING(*held);
    }
    *held = JS_VALUE_GET_TAG(v) == JS_TAG_STRING_ROPE ? js_linearize_string_rope(ctx, v) : js_dup(v);
    if (JS_IsException(*held)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        *held = JS_AtomToString(ctx, JS_ATOM_empty_string);
    }
    return JS_VALUE_GET_STRING(*held);
}

static void put_bounded_string(JSContext *ctx, Writer *w, JSValueConst v)
{
    char note[64];
    JSValue held;
    JSString *p = flat_string(ctx, v, &held);

    put_plain_string(w, p, MESSAGE_UNITS);
    if (p->len > MESSAGE_UNITS) {
        snprintf(note, sizeof note, "… [cut here: the text has %u characters]", p->len);
        put_text(w, note);
    }
    JS_FreeValue(ctx, held);
}

static bool is_error(JSValueConst v)
{
    if (!JS_IsObject(v))
        return false;
    return JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_ERROR || JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_DOM_EXCEPTION;
}

static bool is_text(JSContext *ctx, JSValueConst v, const char *text)
{
    JSValue held;
    JSString *p = flat_string(ctx, v, &held);
    size_t len = strlen(text);
    bool same = !p->is_wide_char && p->len == len && !memcmp(str8(p), text, len);
    JS_FreeValue(ctx, held);
    return same;
}

/* What Promise.any rejects with has no message of its own: the first of its errors speaks for it. */
static bool first_inner_message(JSObject *p, JSValueConst *message)
{
    JSValueConst errors;
    JSObject *list;

    if (!data_property(p, JS_ATOM_errors, &errors) || !JS_IsObject(errors))
        return false;
    list = JS_VALUE_GET_OBJ(errors);
    if (list->class_id != JS_CLASS_ARRAY || !list->fast_array || list->u.array.count == 0)
        return false;
    return is_error(list->u.array.u.values[0]) &&
           data_property(JS_VALUE_GET_OBJ(list->u.array.u.values[0]), JS_ATOM_message, message) &&
           JS_IsString(*message);
}

static void put_error_text(JSContext *ctx, Writer *w, JSObject *p)
{
    JSValueConst name, message;
    bool named = error_text(p, JS_ATOM_name, &name) && !is_text(ctx, name, "Error") && !is_text(ctx, name, "");
    bool said = error_text(p, JS_ATOM_message, &message) && !is_text(ctx, message, "");

    said = said || (named && is_text(ctx, name, "AggregateError") && first_inner_message(p, &message));
    if (named)
        put_bounded_string(ctx, w, name);
    if (named && said)
        put_text(w, ": ");
    if (said)
        put_bounded_string(ctx, w, message);
    if (!named && !said)
        put_text(w, "Error");
}

static void put_thrown_primitive(JSContext *ctx, Writer *w, JSValueConst v)
{
    JSValue text = JS_VALUE_GET_TAG(v) == JS_TAG_SYMBOL ? JS_NewString(ctx, "a Symbol") : JS_ToString(ctx, v);
    if (JS_IsException(text))
        JS_FreeValue(ctx, JS_GetException(ctx));
    else
        put_bounded_string(ctx, w, text);
    JS_FreeValue(ctx, text);
}

/* The members of an object that are not objects themselves, as JSON: nothing of the program's runs. */
static void put_plain_data(Json *j, JSObject *p)
{
    const JSShape *sh = p->shape;
    bool first = true;

    put_byte(j->out, '{');
    for (int i = 0; i < sh->prop_count && i < 16; i++) {
        const JSShapeProperty *pr = &get_shape_prop((JSShape *)sh)[i];
        uint32_t len = j->out->len;
        uint64_t total = j->out->total;
        if (!is_listed(j->ctx, pr) || JS_IsObject(p->prop[i].u.value))
            continue;
        if (write_member(j, pr->atom, p->prop[i].u.value, &first, NULL, 1) != WROTE)
            j->out->len = len, j->out->total = total;
    }
    put_byte(j->out, '}');
}

/* A thrown value that is not an Error. Getters are not called: only plain data is shown. */
static void put_thrown_value(JSContext *ctx, Writer *w, JSValueConst v)
{
    Json j = {ctx, w, "it", STRINGIFY, ""};
    JSObject *p;
    JSValueConst message;

    if (JS_IsString(v)) {
        put_bounded_string(ctx, w, v);
        return;
    }
    if (!JS_IsObject(v)) {
        put_thrown_primitive(ctx, w, v);
        return;
    }
    p = JS_VALUE_GET_OBJ(v);
    if (data_property(p, JS_ATOM_message, &message) && JS_IsString(message))
        put_bounded_string(ctx, w, message);
    else if (p->class_id == JS_CLASS_OBJECT && is_plain(p) && !has_own_to_json(ctx, p))
        put_plain_data(&j, p);
    else
        put_text(w, "a value that is not an Error");
}

static void put_thrown(JSContext *ctx, Writer *w, JSValueConst v)
{
    if (is_error(v)) {
        put_error_text(ctx, w, JS_VALUE_GET_OBJ(v));
    } else {
        put_text(w, "Uncaught ");
        put_thrown_value(ctx, w, v);
    }
}

/* One line for use inside another message. */
static void put_failure_summary(JSContext *ctx, JSValueConst thrown, char *out, size_t room)
{
    Writer w;
    uint32_t n;
    writer_open(&w, MESSAGE_BYTES * 3);
    put_thrown(ctx, &w, thrown);
    n = w.len < room ? w.len : (uint32_t)utf8_cut((const char *)w.buf, room - 1);
    memcpy(out, w.buf, n);
    out[n] = 0;
    writer_close(&w);
}

/* ---- the stack ---- */

static bool starts_with(const char *s, const char *end, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(end - s) >= n && !memcmp(s, prefix, n);
}

static const char *find_text(const char *s, const char *end, const char *text)
{
    size_t n = strlen(text);
    for (; s + n <= end; s++)
        if (!memcmp(s, text, n))
            return s;
    return NULL;
}

/* "    at <eval> (<eval>:1:17)" reads "    at <eval>:1:17". */
static void put_frame(Writer *w, const char *s, const char *end)
{
    static const char top[] = "    at <eval> (<eval>", exported[] = "    at $expt$ (";
    put_byte(w, '\n');
    if (starts_with(s, end, top) && end[-1] == ')') {
        put_text(w, "    at <eval>");
        put_bytes(w, s + sizeof top - 1, (uint32_t)(end - 1 - (s + sizeof top - 1)));
    } else if (starts_with(s, end, exported)) {
        put_text(w, "    at default (");
        put_bytes(w, s + sizeof exported - 1, (uint32_t)(end - (s + sizeof exported - 1)));
    } else {
        put_bytes(w, s, (uint32_t)(end - s));
    }
}

static void read_position(const char *s, const char *end, Failure *f)
{
    const char *at = find_text(s, end, "<eval>:");
    if (!at || f->line)
        return;
    for (at += 7; at < end && *at >= '0' && *at <= '9'; at++)
        f->line = f->line * 10 + (uint32_t)(*at - '0');
    if (at < end && *at == ':')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            f->column = f->column * 10 + (uint32_t)(*at - '0');
}

static void put_frames(Writer *w, const char *s, const char *end, Failure *f)
{
    while (s < end) {
        const char *eol = memchr(s, '\n', (size_t)(end - s));
        if (!eol)
            eol = end;
        if (eol > s) {
            put_frame(w, s, eol);
            read_position(s, eol, f);
        }
        s = eol + 1;
    }
}

/* An Error keeps its frames in an internal slot that no program can write; a DOMException as its own property. */
static bool recorded_stack(JSValueConst thrown, JSValueConst *stack)
{
    JSObject *p = JS_VALUE_GET_OBJ(thrown);
    if (p->class_id != JS_CLASS_ERROR)
        return data_property(p, JS_ATOM_stack, stack);
    *stack = p->u.object_data;
    return true;
}

/* The frames that the engine recorded when the error was made. */
static void put_stack(JSContext *ctx, Writer *w, JSValueConst thrown, Failure *f)
{
    Writer raw;
    JSValueConst stack;
    JSValue held;

    if (!recorded_stack(thrown, &stack) || !JS_IsString(stack))
        return;
    writer_open(&raw, 3 * STACK_BYTES);
    put_plain_string(&raw, flat_string(ctx, stack, &held), STACK_BYTES);
    JS_FreeValue(ctx, held);
    put_frames(w, (const char *)raw.buf, (const char *)raw.buf + raw.len, f);
    writer_close(&raw);
}

/* ---- endings ---- */

static uint32_t keep_text(char *kept, size_t room, const Writer *w)
{
    uint32_t n = w->len < room ? w->len : (uint32_t)utf8_cut((const char *)w->buf, room - 1);
    if (n)
        memcpy(kept, w->buf, n);
    return n;
}

static void end_with_text(uint32_t ending, const char *message, uint32_t len)
{
    uint32_t n = len < MESSAGE_BYTES ? len : (uint32_t)utf8_cut(message, MESSAGE_BYTES - 1);
    cell.message = cell_reserve(n + 1);
    memcpy(cell.message, message, n);
    cell_mailbox.message_ptr = (uint32_t)(uintptr_t)cell.message;
    cell_mailbox.message_len = n;
    cell_end(ending);
}

static void end_with(uint32_t ending, const char *message)
{
    end_with_text(ending, message, (uint32_t)strlen(message));
}

static void end_at(uint32_t ending, const char *message, uint32_t line, uint32_t column)
{
    cell_mailbox.line = line;
    cell_mailbox.column = column;
    end_with(ending, message);
}

/* Ends the run with what was thrown; takes the value. */
static void end_with_thrown(JSContext *ctx, JSValue thrown)
{
    Writer message, stack;
    Failure f = {0};

    writer_open(&message, 3 * MESSAGE_BYTES);
    writer_open(&stack, 3 * STACK_BYTES);
    put_thrown(ctx, &message, thrown);
    if (is_error(thrown)) {
        put_bytes(&stack, message.buf, message.len < 400 ? message.len : (uint32_t)utf8_cut((char *)message.buf, 400));
        put_stack(ctx, &stack, thrown, &f);
    }
    cell.stack = cell_reserve(STACK_BYTES);
    cell_mailbox.stack_ptr = (uint32_t)(uintptr_t)cell.stack;
    cell_mailbox.stack_len = keep_text(cell.stack, STACK_BYTES, &stack);
    cell_mailbox.line = f.line;
    cell_mailbox.column = f.column;
    end_with_text(ENDING_RUNTIME_ERROR, (const char *)message.buf, message.len);
    writer_close(&message);
    writer_close(&stack);
    JS_FreeValue(ctx, thrown);
}

/* ---- absent globals: called by the patched engine ---- */

static const char *cell_absence_hint(const char *name)
{
    return absence_hint(name, (int)cell_mailbox.dialect);
}
