/* The globals of a cell: which there are, and the small ones themselves. See web.h. */
#include "web.h"

#include "web_class.h"
#include "web_peek.h"
#include "web_url.h"

#define RANDOM_BYTES_MAX 65536

/* ----------------------------------------------------------------- crypto */

static JSValue crypto_random_uuid(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    char text[36];
    int i, at = 0;

    cell_random(bytes, sizeof(bytes));
    bytes[6] = (bytes[6] & 0x0F) | 0x40;
    bytes[8] = (bytes[8] & 0x3F) | 0x80;
    for (i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        text[at++] = digits[bytes[i] >> 4];
        text[at++] = digits[bytes[i] & 0x0F];
    }
    return JS_NewStringLen(ctx, text, sizeof(text));
}

static bool is_integer_array(JSValueConst value)
{
    switch (JS_GetTypedArrayType(value)) {
    case JS_TYPED_ARRAY_FLOAT16:
    case JS_TYPED_ARRAY_FLOAT32:
    case JS_TYPED_ARRAY_FLOAT64:
    case -1:
        return false;
    default:
        return true;
    }
}

static JSValue crypto_get_random_values(JSContext *ctx, JSValueConst this_val, int argc,
                                        JSValueConst *argv)
{
    PeekView view;
    PeekBuffer buffer;
    size_t n;

    if (argc < 1 || !is_integer_array(argv[0]))
        return JS_ThrowDOMException(ctx, "TypeMismatchError",
                                    "getRandomValues needs an integer typed array");
    peek_view(argv[0], &view);
    n = (size_t)view.length * view.element_size;
    if (n > RANDOM_BYTES_MAX)
        return JS_ThrowDOMException(ctx, "QuotaExceededError",
                                    "getRandomValues fills at most 65536 bytes; %zu asked for", n);
    peek_buffer(view.buffer, &buffer);
    if (n)
        cell_random(buffer.data + view.offset, n);
    return JS_DupValue(ctx, argv[0]);
}

static const JSCFunctionListEntry crypto_members[] = {
    JS_CFUNC_DEF2("getRandomValues", 1, crypto_get_random_values, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("randomUUID", 0, crypto_random_uuid, JS_PROP_C_W_E),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "Crypto", JS_PROP_CONFIGURABLE),
};

/* ------------------------------------------------------------ performance */

static JSValue performance_now(JSContext *ctx, JSValueConst this_val, int argc,
                               JSValueConst *argv)
{
    return JS_NewNumber(ctx, cell_clock_ms() - cell_start_ms());
}

static JSValue performance_time_origin(JSContext *ctx, JSValueConst this_val)
{
    return JS_NewNumber(ctx, cell_start_ms());
}

static JSValue performance_to_json(JSContext *ctx, JSValueConst this_val, int argc,
                                   JSValueConst *argv)
{
    JSValue made = JS_NewObject(ctx);

    if (!JS_IsException(made))
        JS_DefinePropertyValueStr(ctx, made, "timeOrigin", JS_NewNumber(ctx, cell_start_ms()),
                                  JS_PROP_C_W_E);
    return made;
}

static const JSCFunctionListEntry performance_members[] = {
    JS_CFUNC_DEF2("now", 0, performance_now, JS_PROP_C_W_E),
    JS_CGETSET_DEF2("timeOrigin", performance_time_origin, NULL, WEB_ATTRIBUTE),
    JS_CFUNC_DEF2("toJSON", 0, performance_to_json, JS_PROP_C_W_E),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "Performance", JS_PROP_CONFIGURABLE),
};

/* ---------------------------------------------------------------- globals */

static int define_object(JSContext *ctx, const char *name, const JSCFunctionListEntry *members,
                         int count)
{
    JSValue made = JS_NewObject(ctx);

    if (JS_IsException(made) || JS_SetPropertyFunctionList(ctx, made, members, count) < 0)
        return -1;
    return web_define_global(ctx, name, made);
}

/* What the engine brings and a cell must not have: threads it does not have, and
 * a class that is no part of the language. */
static const char *const removed[] = { "Atomics", "SharedArrayBuffer", "InternalError" };

static int remove_globals(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    size_t i;
    int status = 0;

    for (i = 0; i < sizeof(removed) / sizeof(*removed) && status == 0; i++) {
        JSAtom atom = JS_NewAtom(ctx, removed[i]);
        status = JS_DeleteProperty(ctx, global, atom, 0) < 0 ? -1 : 0;
        JS_FreeAtom(ctx, atom);
    }
    JS_FreeValue(ctx, global);
    return status;
}

int web_init(JSContext *ctx)
{
    if (remove_globals(ctx) < 0 || console_init(ctx) < 0 || clone_init(ctx) < 0 ||
        encoding_init(ctx) < 0 || url_init(ctx) < 0)
        return -1;
    if (define_object(ctx, "crypto", crypto_members, WEB_COUNT(crypto_members)) < 0)
        return -1;
    return define_object(ctx, "performance", performance_members, WEB_COUNT(performance_members));
}
