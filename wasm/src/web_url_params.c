/* See web_url_params.h. The list itself is ada's; an iterator holds a position
 * in it, so changes made while iterating are seen, as the standard says.
 */
#include "web_url_params.h"

#include "ada_c.h"
#include "web_class.h"
#include "web_peek.h"
#include "web_url.h"

typedef struct Params {
    ada_url_search_params list;
    JSValue owner; /* the URL to keep in step, or undefined */
} Params;

typedef enum Part { PART_KEY, PART_VALUE, PART_ENTRY } Part;

typedef struct Cursor {
    JSValue params;
    ada_url_search_params_entries_iter at;
    Part part;
} Cursor;

typedef struct Argument {
    const char *at;
    size_t n;
} Argument;

static JSClassID params_class, cursor_class;

static Params *params_get(JSContext *ctx, JSValueConst value)
{
    return JS_GetOpaque2(ctx, value, params_class);
}

static bool read_argument(JSContext *ctx, JSValueConst value, Argument *out)
{
    out->at = web_scalar_text(ctx, value, &out->n);
    if (!out->at)
        return false;
    if (url_reserve(ctx, out->n))
        return true;
    JS_FreeCString(ctx, out->at);
    return false;
}

static JSValue to_text(JSContext *ctx, ada_string text)
{
    return JS_NewStringLen(ctx, text.data, text.length);
}

static void update_owner(Params *params)
{
    ada_owned_string query;

    if (JS_IsUndefined(params->owner))
        return;
    query = ada_search_params_to_string(params->list);
    url_take_search(params->owner, query.data, query.length);
    ada_free_owned_string(query);
}

/* --------------------------------------------------------------- creation */

static JSValue params_wrap(JSContext *ctx, JSValue made, JSValueConst owner)
{
    Params *params = JS_IsException(made) ? NULL : js_mallocz(ctx, sizeof(*params));

    if (!params) {
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    params->list = ada_parse_search_params("", 0);
    params->owner = JS_DupValue(ctx, owner);
    JS_SetOpaque(made, params);
    return made;
}

JSValue params_of_url(JSContext *ctx, JSValueConst url)
{
    return params_wrap(ctx, JS_NewObjectClass(ctx, params_class), url);
}

void params_reset(JSValueConst value, const char *query, size_t n)
{
    Params *params = JS_GetOpaque(value, params_class);

    if (params)
        ada_search_params_reset(params->list, query, n);
}

static int append_pair(JSContext *ctx, Params *params, JSValueConst key, JSValueConst value)
{
    Argument k, v;

    if (!read_argument(ctx, key, &k))
        return -1;
    if (!read_argument(ctx, value, &v)) {
        JS_FreeCString(ctx, k.at);
        return -1;
    }
    ada_search_params_append(params->list, k.at, k.n, v.at, v.n);
    JS_FreeCString(ctx, k.at);
    JS_FreeCString(ctx, v.at);
    return 0;
}

/* The items of an iterable as an array, by Array.from's rules but without
 * Array.from: a program may have replaced it. */
static JSValue collect(JSContext *ctx, JSValueConst iterable, JSValueConst method, uint32_t max)
{
    JSValue iterator = JS_Call(ctx, method, iterable, 0, NULL), next, step, done;
    JSValue items = JS_NewArray(ctx);
    uint32_t n = 0;
    int is_done = 0;

    next = JS_IsObject(iterator) ? JS_GetPropertyStr(ctx, iterator, "next") : JS_UNDEFINED;
    if (!JS_IsException(iterator) && !JS_IsObject(iterator))
        JS_ThrowTypeError(ctx, "the iterator is not an object");
    while (JS_IsObject(iterator) && n <= max && !is_done) {
        step = JS_Call(ctx, next, iterator, 0, NULL);
        if (!JS_IsException(step) && !JS_IsObject(step))
            JS_ThrowTypeError(ctx, "the iterator's result is not an object");
        done = JS_IsObject(step) ? JS_GetPropertyStr(ctx, step, "done") : JS_EXCEPTION;
        is_done = JS_IsException(done) ? -1 : JS_ToBool(ctx, done);
        JS_FreeValue(ctx, done);
        if (is_done == 0) {
            done = JS_GetPropertyStr(ctx, step, "value");
            if (JS_IsException(done) ||
                JS_DefinePropertyValueUint32(ctx, items, n++, done, JS_PROP_C_W_E) < 0)
                is_done = -1;
        }
        JS_FreeValue(ctx, step);
    }
    JS_FreeValue(ctx, next);
    JS_FreeValue(ctx, iterator);
    if (JS_HasException(ctx)) {
        JS_FreeValue(ctx, items);
        return JS_EXCEPTION;
    }
    return items;
}

static JSValue iterator_method(JSContext *ctx, JSValueConst value)
{
    if (!JS_IsObject(value))
        return JS_UNDEFINED;
    return JS_GetProperty(ctx, value, peek_iterator_symbol());
}

static int append_item(JSContext *ctx, Params *params, JSValueConst item)
{
    JSValue method = iterator_method(ctx, item), pair;
    int64_t n = 0;
    int status = -1;

    if (JS_IsException(method))
        return -1;
    if (JS_IsFunction(ctx, method))
        pair = collect(ctx, item, method, 2);
    else
        pair = JS_NewArray(ctx);
    JS_FreeValue(ctx, method);
    if (JS_IsException(pair))
        return -1;
    JS_GetLength(ctx, pair, &n);
    if (n == 2) {
        JSValue key = JS_GetPropertyUint32(ctx, pair, 0);
        JSValue value = JS_GetPropertyUint32(ctx, pair, 1);
        status = append_pair(ctx, params, key, value);
        JS_FreeValue(ctx, key);
        JS_FreeValue(ctx, value);
    } else {
        JS_ThrowTypeError(ctx, "each item of the list must be a [name, value] pair");
    }
    JS_FreeValue(ctx, pair);
    return status;
}

static int append_sequence(JSContext *ctx, Params *params, JSValueConst init, JSValueConst method)
{
    JSValue items = collect(ctx, init, method, UINT32_MAX - 1), item;
    int64_t n = 0, i;
    int status = 0;

    if (JS_IsException(items))
        return -1;
    JS_GetLength(ctx, items, &n);
    for (i = 0; i < n && status == 0; i++) {
        item = JS_GetPropertyInt64(ctx, items, i);
        status = append_item(ctx, params, item);
        JS_FreeValue(ctx, item);
    }
    JS_FreeValue(ctx, items);
    return status;
}

/* One own property; WebIDL asks for its descriptor at its turn, not before. */
static int append_member(JSContext *ctx, Params *params, JSValueConst init, JSAtom name)
{
    JSPropertyDescriptor descriptor;
    int found = JS_GetOwnProperty(ctx, &descriptor, init, name), status;
    JSValue key, value;

    if (found <= 0)
        return found;
    JS_FreeValue(ctx, descriptor.value);
    JS_FreeValue(ctx, descriptor.getter);
    JS_FreeValue(ctx, descriptor.setter);
    if (!(descriptor.flags & JS_PROP_ENUMERABLE))
        return 0;
    key = JS_AtomToValue(ctx, name);
    value = JS_GetProperty(ctx, init, name);
    status = JS_IsException(value) ? -1 : append_pair(ctx, params, key, value);
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, value);
    return status;
}

static int set_pair(JSContext *ctx, Params *params, JSValueConst init)
{
    JSPropertyEnum *names;
    uint32_t n, i;
    int status = 0;

    if (JS_GetOwnPropertyNames(ctx, &names, &n, init, JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK) < 0)
        return -1;
    for (i = 0; i < n && status == 0; i++)
        status = append_member(ctx, params, init, names[i].atom);
    JS_FreePropertyEnum(ctx, names, n);
    return status;
}

static int params_fill(JSContext *ctx, Params *params, JSValueConst init)
{
    JSValue method;
    Argument text;
    int status;

    if (JS_IsUndefined(init))
        return 0;
    if (JS_IsObject(init)) {
        method = iterator_method(ctx, init);
        if (JS_IsException(method))
            return -1;
        if (JS_IsUndefined(method) || JS_IsNull(method))
            status = set_pair(ctx, params, init);
        else
            status = append_sequence(ctx, params, init, method);
        JS_FreeValue(ctx, method);
        return status;
    }
    if (!read_argument(ctx, init, &text))
        return -1;
    ada_search_params_reset(params->list, text.at, text.n);
    JS_FreeCString(ctx, text.at);
    return 0;
}

static JSValue params_new(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    JSValue made = params_wrap(ctx, web_instance(ctx, new_target, params_class), JS_UNDEFINED);

    if (JS_IsException(made))
        return made;
    if (params_fill(ctx, JS_GetOpaque(made, params_class), argc > 0 ? argv[0] : JS_UNDEFINED) < 0) {
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    return made;
}

/* ---------------------------------------------------------------- methods */

enum { CHANGE_APPEND, CHANGE_SET };

static JSValue params_change(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                             int change)
{
    Params *params = params_get(ctx, this_val);
    Argument k, v;

    if (!params)
        return JS_EXCEPTION;
    if (argc < 2)
        return JS_ThrowTypeError(ctx, "a name and a value are needed");
    if (!read_argument(ctx, argv[0], &k))
        return JS_EXCEPTION;
    if (!read_argument(ctx, argv[1], &v)) {
        JS_FreeCString(ctx, k.at);
        return JS_EXCEPTION;
    }
    if (change == CHANGE_SET)
        ada_search_params_set(params->list, k.at, k.n, v.at, v.n);
    else
        ada_search_params_append(params->list, k.at, k.n, v.at, v.n);
    update_owner(params);
    JS_FreeCString(ctx, k.at);
    JS_FreeCString(ctx, v.at);
    return JS_UNDEFINED;
}

static JSValue get_all(JSContext *ctx, Params *params, const Argument *name)
{
    ada_strings found = ada_search_params_get_all(params->list, name->at, name->n);
    JSValue values = JS_NewArray(ctx);
    size_t n = ada_strings_size(found), i;

    for (i = 0; i < n && !JS_IsException(values); i++)
        JS_DefinePropertyValueUint32(ctx, values, i, to_text(ctx, ada_strings_get(found, i)),
                                     JS_PROP_C_W_E);
    ada_free_strings(found);
    return values;
}

enum { QUERY_GET, QUERY_GET_ALL, QUERY_HAS, QUERY_DELETE };

static JSValue answer_query(JSContext *ctx, Params *params, const Argument *k, const Argument *v,
                            int query)
{
    ada_string value;

    switch (query) {
    case QUERY_GET:
        if (!ada_search_params_has(params->list, k->at, k->n))
            return JS_NULL;
        value = ada_search_params_get(params->list, k->at, k->n);
        return to_text(ctx, value);
    case QUERY_GET_ALL:
        return get_all(ctx, params, k);
    case QUERY_HAS:
        return JS_NewBool(ctx, v->at ? ada_search_params_has_value(params->list, k->at, k->n, v->at, v->n)
                                     : ada_search_params_has(params->list, k->at, k->n));
    default:
        if (v->at)
            ada_search_params_remove_value(params->list, k->at, k->n, v->at, v->n);
        else
            ada_search_params_remove(params->list, k->at, k->n);
        update_owner(params);
        return JS_UNDEFINED;
    }
}

static JSValue params_query(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                            int query)
{
    Params *params = params_get(ctx, this_val);
    bool takes_value = query >= QUERY_HAS && argc > 1 && !JS_IsUndefined(argv[1]);
    Argument k, v = { NULL, 0 };
    JSValue answer = JS_EXCEPTION;

    if (!params)
        return JS_EXCEPTION;
    if (argc < 1)
        return JS_ThrowTypeError(ctx, "a name is needed");
    if (!read_argument(ctx, argv[0], &k))
        return JS_EXCEPTION;
    if (!takes_value || read_argument(ctx, argv[1], &v))
        answer = answer_query(ctx, params, &k, &v, query);
    if (v.at)
        JS_FreeCString(ctx, v.at);
    JS_FreeCString(ctx, k.at);
    return answer;
}

static JSValue params_sort(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    Params *params = params_get(ctx, this_val);

    if (!params)
        return JS_EXCEPTION;
    ada_search_params_sort(params->list);
    update_owner(params);
    return JS_UNDEFINED;
}

static JSValue params_to_string(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv)
{
    Params *params = params_get(ctx, this_val);
    ada_owned_string query;
    JSValue text;

    if (!params)
        return JS_EXCEPTION;
    query = ada_search_params_to_string(params->list);
    text = JS_NewStringLen(ctx, query.data, query.length);
    ada_free_owned_string(query);
    return text;
}

static JSValue params_size(JSContext *ctx, JSValueConst this_val)
{
    Params *params = params_get(ctx, this_val);

    return params ? JS_NewUint32(ctx, ada_search_params_size(params->list)) : JS_EXCEPTION;
}

static JSValue params_for_each(JSContext *ctx, JSValueConst this_val, int argc,
                               JSValueConst *argv)
{
    Params *params = params_get(ctx, this_val);
    ada_url_search_params_entries_iter at;
    ada_string_pair pair;
    JSValue result = JS_UNDEFINED;

    if (!params)
        return JS_EXCEPTION;
    if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "forEach needs a function");
    at = ada_search_params_get_entries(params->list);
    while (!JS_IsException(result) && ada_search_params_entries_iter_has_next(at)) {
        pair = ada_search_params_entries_iter_next(at);
        JSValue value = to_text(ctx, pair.value), key = to_text(ctx, pair.key);
        JSValueConst args[3] = { value, key, this_val };
        result = JS_Call(ctx, argv[0], argc > 1 ? argv[1] : JS_UNDEFINED, 3, args);
        JS_FreeValue(ctx, value);
        JS_FreeValue(ctx, key);
        JS_FreeValue(ctx, result);
    }
    ada_free_search_params_entries_iter(at);
    return JS_IsException(result) ? result : JS_UNDEFINED;
}

bool url_peek_param(JSValueConst object, uint32_t i, UrlSpan *key, UrlSpan *value)
{
    Params *params = JS_GetOpaque(object, params_class);
    ada_url_search_params_entries_iter at;
    ada_string_pair pair = { { NULL, 0 }, { NULL, 0 } };

    if (!params || i >= ada_search_params_size(params->list))
        return false;
    at = ada_search_params_get_entries(params->list);
    do
        pair = ada_search_params_entries_iter_next(at);
    while (i-- > 0);
    ada_free_search_params_entries_iter(at);
    *key = (UrlSpan){ pair.key.data, pair.key.length };
    *value = (UrlSpan){ pair.value.data, pair.value.length };
    return true;
}

/* -------------------------------------------------------------- iteration */

static JSValue params_iterate(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                              int part)
{
    Params *params = params_get(ctx, this_val);
    JSValue made;
    Cursor *cursor;

    if (!params)
        return JS_EXCEPTION;
    made = JS_NewObjectClass(ctx, cursor_class);
    cursor = JS_IsException(made) ? NULL : js_mallocz(ctx, sizeof(*cursor));
    if (!cursor) {
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    cursor->params = JS_DupValue(ctx, this_val);
    cursor->at = ada_search_params_get_entries(params->list);
    cursor->part = part;
    JS_SetOpaque(made, cursor);
    return made;
}

static JSValue pair_value(JSContext *ctx, ada_string_pair pair, Part part)
{
    JSValue both[2];

    if (part != PART_ENTRY)
        return to_text(ctx, part == PART_KEY ? pair.key : pair.value);
    both[0] = to_text(ctx, pair.key);
    both[1] = to_text(ctx, pair.value);
    return JS_NewArrayFrom(ctx, 2, both);
}

static JSValue cursor_next(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                           int *done, int magic)
{
    Cursor *cursor = JS_GetOpaque2(ctx, this_val, cursor_class);

    *done = false;
    if (!cursor)
        return JS_EXCEPTION;
    if (!ada_search_params_entries_iter_has_next(cursor->at)) {
        *done = true;
        return JS_UNDEFINED;
    }
    return pair_value(ctx, ada_search_params_entries_iter_next(cursor->at), cursor->part);
}

static void cursor_free(JSRuntime *rt, JSValueConst value)
{
    Cursor *cursor = JS_GetOpaque(value, cursor_class);

    if (!cursor)
        return;
    ada_free_search_params_entries_iter(cursor->at);
    JS_FreeValueRT(rt, cursor->params);
    js_free_rt(rt, cursor);
}

static void cursor_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    Cursor *cursor = JS_GetOpaque(value, cursor_class);

    if (cursor)
        JS_MarkValue(rt, cursor->params, mark);
}

/* ---------------------------------------------------------------- classes */

static void params_free(JSRuntime *rt, JSValueConst value)
{
    Params *params = JS_GetOpaque(value, params_class);

    if (!params)
        return;
    ada_free_search_params(params->list);
    JS_FreeValueRT(rt, params->owner);
    js_free_rt(rt, params);
}

static void params_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    Params *params = JS_GetOpaque(value, params_class);

    if (params)
        JS_MarkValue(rt, params->owner, mark);
}

#define METHOD(name, length, fn, magic)                                                      \
    { name, JS_PROP_C_W_E, JS_DEF_CFUNC, magic,                                              \
      { .func = { length, JS_CFUNC_generic_magic, { .generic_magic = fn } } } }

static const JSCFunctionListEntry params_members[] = {
    JS_CGETSET_DEF2("size", params_size, NULL, WEB_ATTRIBUTE),
    METHOD("append", 2, params_change, CHANGE_APPEND),
    METHOD("delete", 1, params_query, QUERY_DELETE),
    METHOD("get", 1, params_query, QUERY_GET),
    METHOD("getAll", 1, params_query, QUERY_GET_ALL),
    METHOD("has", 1, params_query, QUERY_HAS),
    METHOD("set", 2, params_change, CHANGE_SET),
    JS_CFUNC_DEF2("sort", 0, params_sort, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("toString", 0, params_to_string, JS_PROP_C_W_E),
    METHOD("entries", 0, params_iterate, PART_ENTRY),
    JS_CFUNC_DEF2("forEach", 1, params_for_each, JS_PROP_C_W_E),
    METHOD("keys", 0, params_iterate, PART_KEY),
    METHOD("values", 0, params_iterate, PART_VALUE),
    JS_ALIAS_DEF("[Symbol.iterator]", "entries"),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "URLSearchParams", JS_PROP_CONFIGURABLE),
};

static const JSCFunctionListEntry cursor_members[] = {
    { "next", JS_PROP_C_W_E, JS_DEF_CFUNC, 0,
      { .func = { 0, JS_CFUNC_iterator_next, { .iterator_next = cursor_next } } } },
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "URLSearchParams Iterator", JS_PROP_CONFIGURABLE),
};

static const WebClass params_spec = {
    &params_class, { "URLSearchParams", .finalizer = params_free, .gc_mark = params_mark },
    params_new, 0, params_members, WEB_COUNT(params_members),
};

static const JSClassDef cursor_def = {
    "URLSearchParams Iterator", .finalizer = cursor_free, .gc_mark = cursor_mark,
};

static int cursor_init(JSContext *ctx)
{
    JSRuntime *rt = JS_GetRuntime(ctx);
    JSValue proto;

    JS_NewClassID(rt, &cursor_class);
    if (JS_NewClass(rt, cursor_class, &cursor_def) < 0)
        return -1;
    proto = JS_NewObjectProto(ctx, peek_iterator_prototype(ctx));
    if (JS_IsException(proto))
        return -1;
    JS_SetClassProto(ctx, cursor_class, proto);
    return JS_SetPropertyFunctionList(ctx, proto, cursor_members, WEB_COUNT(cursor_members));
}

int params_init(JSContext *ctx)
{
    return JS_IsException(web_define_class(ctx, &params_spec)) ? -1 : cursor_init(ctx);
}
