/* What a reply is to the program (spec 3.1): `result` is the wire form and answers for `data` too.
 *
 * A name that the wire form does not own is looked up in its prototype, and its prototype is `data`: so `result.name`,
 * `result[0]`, `result.filter(…)`, `for…of` and spread work, while JSON and Object.keys see the wire form alone.
 */

static JSValue give_text(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic, JSValueConst *data)
{
    (void)ctx, (void)this_val, (void)argc, (void)argv, (void)magic;
    return js_dup(data[0]);
}

/* A text as a prototype: its characters and length, and the text itself where a method asks for one. */
static JSValue text_prototype(JSContext *ctx, JSValueConst text)
{
    static const JSAtom conversions[] = {JS_ATOM_toString, JS_ATOM_valueOf};
    JSValue boxed = JS_ToObject(ctx, text);
    JSValue proto = JS_NewObjectProto(ctx, boxed);

    JS_FreeValue(ctx, boxed);
    for (size_t i = 0; i < countof(conversions) && JS_IsObject(proto); i++) {
        JSValue get = JS_NewCFunctionData(ctx, give_text, 0, 0, 1, &text);
        JS_DefinePropertyValue(ctx, proto, conversions[i], get, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    }
    return proto;
}

/* Lets `result` fall through to `data`; anything else in an envelope stays as it is. */
static void fall_through(JSContext *ctx, JSValueConst envelope)
{
    JSValueConst result = member(ctx, envelope, "result"), data = member(ctx, envelope, "data");
    JSValue proto;

    if (!JS_IsObject(result) || !(JS_IsObject(data) || JS_IsString(data)))
        return;
    proto = JS_IsObject(data) ? js_dup(data) : text_prototype(ctx, data);
    if (JS_IsException(proto) || JS_SetPrototype(ctx, result, proto) < 0)
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, proto);
}

/* An envelope as the program gets it. */
static void ready_envelope(JSContext *ctx, JSValueConst envelope)
{
    fall_through(ctx, envelope);
    watch_refusal(ctx, envelope);
}
