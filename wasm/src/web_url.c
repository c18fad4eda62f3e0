/* URL (WHATWG URL standard): a thin object around one ada-url record.
 *
 * A URL and its searchParams hold each other, so the engine's cycle collector
 * is told of both references. Texts are copied out of the record at once: ada's
 * spans die with the next change.
 */
#include "web_url.h"

#include "ada_c.h"
#include "web_class.h"
#include "web_url_params.h"

/* Above this many bytes, ask for the memory first: ada cannot report a refusal. */
#define PREFLIGHT_BYTES 16384

typedef struct Url {
    ada_url record;
    JSValue params; /* made at the first use of searchParams */
} Url;

static JSClassID url_class;

static Url *url_of(JSContext *ctx, JSValueConst value)
{
    return JS_GetOpaque2(ctx, value, url_class);
}

/* Where the parser's own objects live; set once, at init. */
static JSRuntime *runtime;

void *url_alloc(size_t size)
{
    return js_malloc_rt(runtime, size);
}

void url_release(void *block)
{
    js_free_rt(runtime, block);
}

bool url_reserve(JSContext *ctx, size_t n)
{
    void *probe;

    if (n < PREFLIGHT_BYTES)
        return true;
    probe = n < SIZE_MAX / 8 ? js_malloc_rt(runtime, n * 4) : NULL;
    js_free_rt(runtime, probe);
    if (!probe)
        JS_ThrowRangeError(ctx, "the URL text of %zu bytes is too large for this cell", n);
    return probe != NULL;
}

/* ---------------------------------------------------------------- parsing */

static JSValue throw_invalid(JSContext *ctx, const char *text, size_t n, bool has_base)
{
    bool is_relative = !has_base && !memchr(text, ':', n);
    const char *hint = is_relative ? ": it is relative, so pass a base, "
                                     "as in new URL(path, 'https://host')" : "";

    return JS_ThrowTypeError(ctx, "Invalid URL '%.100s'%s", text, hint);
}

/* The record of a text and an optional base; NULL when it is invalid (then
 * *failed is false) or when reading the arguments threw. */
static ada_url parse_arguments(JSContext *ctx, int argc, JSValueConst *argv, bool throws,
                               bool *failed)
{
    bool has_base = argc > 1 && !JS_IsUndefined(argv[1]);
    size_t n, base_n = 0;
    const char *text = web_scalar_text(ctx, argv[0], &n), *base = NULL;
    ada_url record = NULL;

    *failed = true;
    if (text && has_base)
        base = web_scalar_text(ctx, argv[1], &base_n);
    if (text && (base || !has_base) && url_reserve(ctx, n + base_n)) {
        *failed = false;
        record = has_base ? ada_parse_with_base(text, n, base, base_n) : ada_parse(text, n);
        if (!ada_is_valid(record)) {
            ada_free(record);
            record = NULL;
            if (throws)
                throw_invalid(ctx, text, n, has_base);
        }
    }
    if (base)
        JS_FreeCString(ctx, base);
    if (text)
        JS_FreeCString(ctx, text);
    return record;
}

static JSValue url_wrap(JSContext *ctx, JSValue made, ada_url record)
{
    Url *url = JS_IsException(made) ? NULL : js_mallocz(ctx, sizeof(*url));

    if (!url) {
        ada_free(record);
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    url->record = record;
    url->params = JS_UNDEFINED;
    JS_SetOpaque(made, url);
    return made;
}

static JSValue url_new(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    ada_url record;
    bool failed;

    if (argc < 1)
        return JS_ThrowTypeError(ctx, "new URL(url, base) needs at least one argument");
    record = parse_arguments(ctx, argc, argv, true, &failed);
    if (!record)
        return JS_EXCEPTION;
    return url_wrap(ctx, web_instance(ctx, new_target, url_class), record);
}

static JSValue url_parse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    bool failed;
    ada_url record;

    if (argc < 1)
        return JS_ThrowTypeError(ctx, "URL.parse(url, base) needs at least one argument");
    record = parse_arguments(ctx, argc, argv, false, &failed);
    if (!record)
        return failed ? JS_EXCEPTION : JS_NULL;
    return url_wrap(ctx, JS_NewObjectClass(ctx, url_class), record);
}

static JSValue url_can_parse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    bool failed;
    ada_url record;

    if (argc < 1)
        return JS_ThrowTypeError(ctx, "URL.canParse(url, base) needs at least one argument");
    record = parse_arguments(ctx, argc, argv, false, &failed);
    if (failed)
        return JS_EXCEPTION;
    if (record)
        ada_free(record);
    return JS_NewBool(ctx, record != NULL);
}

/* ------------------------------------------------------------- attributes */

typedef ada_string UrlGet(ada_url record);

typedef struct UrlField {
    UrlGet *get;
    bool (*set)(ada_url record, const char *text, size_t n);
} UrlField;

static bool set_search(ada_url record, const char *text, size_t n)
{
    ada_set_search(record, text, n);
    return true;
}

static bool set_hash(ada_url record, const char *text, size_t n)
{
    ada_set_hash(record, text, n);
    return true;
}

enum {
    URL_HREF, URL_PROTOCOL, URL_USERNAME, URL_PASSWORD, URL_HOST, URL_HOSTNAME, URL_PORT,
    URL_PATHNAME, URL_SEARCH, URL_HASH,
};

static const UrlField url_fields[] = {
    { ada_get_href, ada_set_href },         { ada_get_protocol, ada_set_protocol },
    { ada_get_username, ada_set_username }, { ada_get_password, ada_set_password },
    { ada_get_host, ada_set_host },         { ada_get_hostname, ada_set_hostname },
    { ada_get_port, ada_set_port },         { ada_get_pathname, ada_set_pathname },
    { ada_get_search, set_search },         { ada_get_hash, set_hash },
};

static JSValue url_get(JSContext *ctx, JSValueConst this_val, int field)
{
    Url *url = url_of(ctx, this_val);
    ada_string text;

    if (!url)
        return JS_EXCEPTION;
    text = url_fields[field].get(url->record);
    return JS_NewStringLen(ctx, text.data, text.length);
}

static void refresh_params(Url *url)
{
    ada_string search = ada_get_search(url->record);

    if (JS_IsObject(url->params))
        params_reset(url->params, search.data, search.length);
}

static JSValue url_set(JSContext *ctx, JSValueConst this_val, JSValueConst value, int field)
{
    Url *url = url_of(ctx, this_val);
    const char *text;
    size_t n;
    bool ok = false;

    if (!url)
        return JS_EXCEPTION;
    text = web_scalar_text(ctx, value, &n);
    if (!text)
        return JS_EXCEPTION;
    if (url_reserve(ctx, n + ada_get_href(url->record).length)) {
        ok = url_fields[field].set(url->record, text, n) || field != URL_HREF;
        if (!ok)
            throw_invalid(ctx, text, n, false);
        else if (field == URL_HREF || field == URL_SEARCH)
            refresh_params(url);
    }
    JS_FreeCString(ctx, text);
    return ok ? JS_UNDEFINED : JS_EXCEPTION;
}

static JSValue url_get_origin(JSContext *ctx, JSValueConst this_val)
{
    Url *url = url_of(ctx, this_val);
    ada_owned_string origin;
    JSValue text;

    if (!url)
        return JS_EXCEPTION;
    origin = ada_get_origin(url->record);
    text = JS_NewStringLen(ctx, origin.data, origin.length);
    ada_free_owned_string(origin);
    return text;
}

static JSValue url_get_params(JSContext *ctx, JSValueConst this_val)
{
    Url *url = url_of(ctx, this_val);

    if (!url)
        return JS_EXCEPTION;
    if (!JS_IsObject(url->params)) {
        url->params = params_of_url(ctx, this_val);
        if (JS_IsException(url->params)) {
            url->params = JS_UNDEFINED;
            return JS_EXCEPTION;
        }
        refresh_params(url);
    }
    return JS_DupValue(ctx, url->params);
}

static JSValue url_to_string(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return url_get(ctx, this_val, URL_HREF);
}

void url_take_search(JSValueConst owner, const char *text, size_t n)
{
    Url *url = JS_GetOpaque(owner, url_class);

    if (url)
        ada_set_search(url->record, text, n);
}

bool url_peek_href(JSValueConst object, UrlSpan *href)
{
    Url *url = JS_GetOpaque(object, url_class);
    ada_string text;

    if (!url)
        return false;
    text = ada_get_href(url->record);
    href->at = text.data;
    href->length = text.length;
    return true;
}

/* ------------------------------------------------------------------ class */

static void url_free(JSRuntime *rt, JSValueConst value)
{
    Url *url = JS_GetOpaque(value, url_class);

    if (!url)
        return;
    ada_free(url->record);
    JS_FreeValueRT(rt, url->params);
    js_free_rt(rt, url);
}

static void url_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    Url *url = JS_GetOpaque(value, url_class);

    if (url)
        JS_MarkValue(rt, url->params, mark);
}

#define FIELD(name, index) JS_CGETSET_MAGIC_DEF2(name, url_get, url_set, index, WEB_ATTRIBUTE)

static const JSCFunctionListEntry url_members[] = {
    JS_CFUNC_DEF2("toString", 0, url_to_string, JS_PROP_C_W_E),
    FIELD("href", URL_HREF),
    JS_CGETSET_DEF2("origin", url_get_origin, NULL, WEB_ATTRIBUTE),
    FIELD("protocol", URL_PROTOCOL),
    FIELD("username", URL_USERNAME),
    FIELD("password", URL_PASSWORD),
    FIELD("host", URL_HOST),
    FIELD("hostname", URL_HOSTNAME),
    FIELD("port", URL_PORT),
    FIELD("pathname", URL_PATHNAME),
    FIELD("search", URL_SEARCH),
    JS_CGETSET_DEF2("searchParams", url_get_params, NULL, WEB_ATTRIBUTE),
    FIELD("hash", URL_HASH),
    JS_CFUNC_DEF2("toJSON", 0, url_to_string, JS_PROP_C_W_E),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "URL", JS_PROP_CONFIGURABLE),
};

static const JSCFunctionListEntry url_statics[] = {
    JS_CFUNC_DEF2("canParse", 1, url_can_parse, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("parse", 1, url_parse, JS_PROP_C_W_E),
};

static const WebClass url_spec = {
    &url_class, { "URL", .finalizer = url_free, .gc_mark = url_mark }, url_new, 1,
    url_members, WEB_COUNT(url_members),
};

int url_init(JSContext *ctx)
{
    JSValueConst constructor;

    runtime = JS_GetRuntime(ctx);
    constructor = web_define_class(ctx, &url_spec);
    if (JS_IsException(constructor) ||
        JS_SetPropertyFunctionList(ctx, constructor, url_statics, WEB_COUNT(url_statics)) < 0)
        return -1;
    return params_init(ctx);
}
