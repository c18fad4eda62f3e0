/* Refusals that a program must not overlook (spec 3.3): one that it never looks at ends the run with its code.
 *
 * Such an envelope is an ordinary object whose `ok` and `error` are made at the first look.
 */

struct refusal {
    struct refusal *next;
    bool seen;
    JSValue envelope; /* all held as long as the cell lives */
    JSValue error;
    JSValue code; /* strings, as the host sent them: the program may change `error` */
    JSValue message;
};

/* Called by the patched engine when `ok` or `error` is read for the first time. */
static JSValue cell_refusal_member(JSContext *ctx, JSObject *p, JSAtom prop, void *opaque)
{
    struct refusal *r = opaque;
    (void)ctx, (void)p;
    r->seen = true;
    return prop == JS_ATOM_error ? js_dup(r->error) : JS_FALSE;
}

static JSValueConst member(JSContext *ctx, JSValueConst obj, const char *name)
{
    JSAtom atom = JS_NewAtom(ctx, name);
    JSValueConst v = JS_UNDEFINED;
    if (JS_IsObject(obj))
        data_property(JS_VALUE_GET_OBJ(obj), atom, &v);
    JS_FreeAtom(ctx, atom);
    return v;
}

static bool ends_unseen(JSContext *ctx, JSValueConst code)
{
    return JS_IsString(code) && (is_text(ctx, code, "MAX_TOOL_CALLS_EXCEEDED") || is_text(ctx, code, "SERVER_NOT_ALLOWED"));
}

static bool watch_member(JSContext *ctx, struct refusal *r, JSAtom name)
{
    return JS_DeleteProperty(ctx, r->envelope, name, 0) >= 0 &&
           JS_DefineAutoInitProperty(ctx, r->envelope, name, JS_AUTOINIT_ID_MODULE_NS, r, JS_PROP_C_W_E) >= 0;
}

/* Makes the envelope notice being looked at, when it is a refusal that must not go unseen. */
static void watch_refusal(JSContext *ctx, JSValueConst envelope)
{
    JSValueConst error = member(ctx, envelope, "error"), message = member(ctx, error, "message");
    struct refusal *r;

    if (!JS_IsObject(error) || !ends_unseen(ctx, member(ctx, error, "code")) || !JS_IsString(message))
        return;
    r = js_mallocz(ctx, sizeof *r);
    if (!r)
        return;
    r->envelope = js_dup(envelope);
    r->error = js_dup(error);
    r->code = js_dup(member(ctx, error, "code"));
    r->message = js_dup(message);
    *(cell.last_refusal ? &cell.last_refusal->next : &cell.refusals) = r;
    cell.last_refusal = r;
    if (!watch_member(ctx, r, JS_ATOM_ok) || !watch_member(ctx, r, JS_ATOM_error))
        JS_FreeValue(ctx, JS_GetException(ctx));
}

/* The refusal that ends the run: one never looked at, or the one that is the program's whole value. */
static struct refusal *ending_refusal(JSValueConst value)
{
    struct refusal *unseen = NULL;
    for (struct refusal *r = cell.refusals; r; r = r->next) {
        if (JS_IsObject(value) && JS_VALUE_GET_OBJ(value) == JS_VALUE_GET_OBJ(r->envelope))
            return r;
        if (!r->seen && !unseen)
            unseen = r;
    }
    return unseen;
}

static void end_with_refusal(JSContext *ctx, const struct refusal *r)
{
    Writer w;
    writer_open(&w, MESSAGE_BYTES * 3);
    put_bounded_string(ctx, &w, r->code);
    put_byte(&w, '\n');
    put_bounded_string(ctx, &w, r->message);
    end_with_text(ENDING_REFUSED, (const char *)w.buf, w.len);
    writer_close(&w);
}
