/* How the guest's own classes are registered and made, and how their arguments
 * become text. */
#ifndef WEB_CLASS_H
#define WEB_CLASS_H

#include "quickjs.h"

#define WEB_ATTRIBUTE (JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE)
#define WEB_COUNT(table) (int)(sizeof(table) / sizeof(*(table)))

typedef struct WebClass {
    JSClassID *id;
    JSClassDef def;
    JSCFunction *constructor;
    int length;
    const JSCFunctionListEntry *members;
    int member_count;
} WebClass;

/* Registers the class and defines its constructor as a global. The constructor
 * is returned, borrowed, or JS_EXCEPTION. */
JSValueConst web_define_class(JSContext *ctx, const WebClass *spec);
/* A new object of new.target's class. */
JSValue web_instance(JSContext *ctx, JSValueConst new_target, JSClassID class_id);
/* The value as a string, in UTF-8, with U+FFFD for each lone surrogate (WebIDL
 * USVString). Free with JS_FreeCString; NULL with an exception pending. */
const char *web_scalar_text(JSContext *ctx, JSValueConst value, size_t *n);
int web_define_global(JSContext *ctx, const char *name, JSValue value);

#endif
