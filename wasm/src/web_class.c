/* See web_class.h. */
#include "web_class.h"

int web_define_global(JSContext *ctx, const char *name, JSValue value)
{
    JSValue global = JS_GetGlobalObject(ctx);
    int status = JS_DefinePropertyValueStr(ctx, global, name, value,
                                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);

    JS_FreeValue(ctx, global);
    return status < 0 ? -1 : 0;
}

JSValueConst web_define_class(JSContext *ctx, const WebClass *spec)
{
    JSRuntime *rt = JS_GetRuntime(ctx);
    JSValue proto, constructor;

    JS_NewClassID(rt, spec->id);
    if (JS_NewClass(rt, *spec->id, &spec->def) < 0)
        return JS_EXCEPTION;
    proto = JS_NewObject(ctx);
    if (JS_IsException(proto))
        return proto;
    JS_SetClassProto(ctx, *spec->id, proto);
    constructor = JS_NewCFunction2(ctx, spec->constructor, spec->def.class_name, spec->length,
                                   JS_CFUNC_constructor, 0);
    if (JS_IsException(constructor) ||
        JS_SetPropertyFunctionList(ctx, proto, spec->members, spec->member_count) < 0 ||
        JS_SetConstructor(ctx, constructor, proto) < 0 ||
        web_define_global(ctx, spec->def.class_name, constructor) < 0)
        return JS_EXCEPTION;
    return constructor;
}

JSValue web_instance(JSContext *ctx, JSValueConst new_target, JSClassID class_id)
{
    JSValue proto = JS_GetPropertyStr(ctx, new_target, "prototype"), made;

    if (JS_IsException(proto))
        return proto;
    if (JS_IsObject(proto))
        made = JS_NewObjectProtoClass(ctx, proto, class_id);
    else
        made = JS_NewObjectClass(ctx, class_id);
    JS_FreeValue(ctx, proto);
    return made;
}

const char *web_scalar_text(JSContext *ctx, JSValueConst value, size_t *n)
{
    const char *text = JS_ToCStringLen(ctx, n, value);
    size_t i;

    if (!text)
        return NULL;
    /* A lone surrogate comes out of the engine as three bytes of its own, and
     * U+FFFD has three. Text with such bytes is a fresh copy, never the
     * engine's own string, so it may be written to. */
    for (i = 0; i + 2 < *n; i++) {
        if ((uint8_t)text[i] == 0xED && (uint8_t)text[i + 1] >= 0xA0)
            memcpy((char *)(uintptr_t)text + i, "\xEF\xBF\xBD", 3);
    }
    return text;
}
