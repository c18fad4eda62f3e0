/* Values to JSON text (spec 2.4), in native code that no change to JSON, Object.prototype or Array.prototype steers.
 *
 * `toJSON` is honoured where the value, or a class of the program's, has it; never where a built-in prototype was
 * given one. Getters and proxies run the program's code, so nothing read before such a call is trusted after it.
 */

#define DEPTH_LIMIT 500

typedef enum {
    STRICT_VALUE, /* the value of a program: what JSON cannot hold is an error */
    CALL_ARGS,    /* arguments of a call: as above, and a Date becomes its ISO string */
    STRINGIFY,    /* the rules of JSON.stringify, except that a cycle and a BigInt are errors */
} WriteMode;

typedef struct Path {
    const struct Path *up;
    JSAtom key;     /* JS_ATOM_NULL: an index */
    uint32_t index;
} Path;

typedef struct {
    JSContext *ctx;
    Writer *out;
    const char *root;
    WriteMode mode;
    char problem[640]; /* filled on error: "value.items[3] is a Date: return .toISOString()" */
} Json;

typedef enum { WROTE, OMITTED, FAILED } Written;

static Written write_any(Json *j, JSValueConst v, const Path *at, int depth);
static Written write_object(Json *j, JSValueConst v, const Path *at, int depth);

static bool is_identifier(const char *s)
{
    if (!(*s == '_' || *s == '$' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
        return false;
    for (; *s; s++)
        if (!(*s == '_' || *s == '$' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9')))
            return false;
    return true;
}

/* Appends to a text of `room` bytes that holds n; what does not fit is cut between characters. Returns the new length. */
static size_t append(char *out, size_t room, size_t n, const char *format, ...)
{
    va_list ap;
    int more;

    if (n + 1 >= room)
        return n;
    va_start(ap, format);
    more = vsnprintf(out + n, room - n, format, ap);
    va_end(ap);
    if (more < 0)
        return n;
    if ((size_t)more < room - n)
        return n + (size_t)more;
    for (n = room - 1; n > 0 && ((uint8_t)out[n - 1] & 0xc0) == 0x80;)
        n--;
    n -= n > 0 && (uint8_t)out[n - 1] >= 0xc0;
    out[n] = 0;
    return n;
}

static size_t append_step(Json *j, const Path *at, char *out, size_t room, size_t n)
{
    char name[ATOM_GET_STR_BUF_SIZE];

    if (at->key == JS_ATOM_NULL)
        return append(out, room, n, "[%u]", at->index);
    JS_AtomGetStr(j->ctx, name, sizeof name, at->key);
    for (char *c = name; *c; c++)
        *c = *c == '"' || (uint8_t)*c < 0x20 ? '?' : *c;
    return append(out, room, n, is_identifier(name) ? ".%s" : "[\"%s\"]", name);
}

static const Path *ancestor(const Path *at, int hops)
{
    while (hops-- > 0)
        at = at->up;
    return at;
}

/* "value.items[3].when"; a long path keeps its outer and its inner steps. */
static size_t append_path(Json *j, const Path *at, char *out, size_t room)
{
    enum { KEPT = 6 };
    int count = 0;
    size_t n = append(out, room, 0, "%s", j->root);

    for (const Path *p = at; p; p = p->up)
        count++;
    for (int i = 0; i < count; i++) {
        if (count > 2 * KEPT && i == KEPT) {
            n = append(out, room, n, " … ");
            i = count - KEPT;
        }
        n = append_step(j, ancestor(at, count - 1 - i), out, room, n);
    }
    return n;
}

/* Arguments are passed, not returned: the advice says so. */
static void advise(char *problem, WriteMode mode)
{
    static const char said[] = ": return ";
    char *at = mode == CALL_ARGS ? strstr(problem, said) : NULL;
    if (!at)
        return;
    memcpy(at, ": pass ", 7);
    memmove(at + 7, at + sizeof said - 1, strlen(at + sizeof said - 1) + 1);
}

static Written problem(Json *j, const Path *at, const char *what)
{
    if (!j->problem[0]) {
        size_t n = append_path(j, at, j->problem, 400);
        append(j->problem, sizeof j->problem, n, " %s", what);
        advise(j->problem + n, j->mode);
    }
    return FAILED;
}

static void put_failure_summary(JSContext *ctx, JSValueConst thrown, char *out, size_t room);

/* The program's own code threw while its value was read. */
static Written reading_threw(Json *j, const Path *at)
{
    char what[220];
    JSValue thrown = JS_GetException(j->ctx);
    int n = snprintf(what, sizeof what, "could not be read: ");
    put_failure_summary(j->ctx, thrown, what + n, sizeof what - (size_t)n);
    JS_FreeValue(j->ctx, thrown);
    return problem(j, at, what);
}

/* ---- toJSON ---- */

static bool is_builtin_prototype(JSContext *ctx, JSObject *p)
{
    for (int i = JS_CLASS_OBJECT; i < JS_CLASS_INIT_COUNT; i++)
        if (JS_IsObject(ctx->class_proto[i]) && JS_VALUE_GET_OBJ(ctx->class_proto[i]) == p)
            return true;
    for (int i = 0; i < JS_NATIVE_ERROR_COUNT; i++)
        if (JS_VALUE_GET_OBJ(ctx->native_error_proto[i]) == p)
            return true;
    return JS_VALUE_GET_OBJ(ctx->function_proto) == p;
}

/* Whether some object of the chain that is the program's own (or ours) has a toJSON property. */
static bool has_own_to_json(JSContext *ctx, JSObject *p)
{
    JSProperty *pr;
    for (; p; p = p->shape->proto) {
        if (p->is_exotic && p->class_id == JS_CLASS_PROXY)
            return false;
        if (find_own_property(&pr, p, JS_ATOM_toJSON) && !is_builtin_prototype(ctx, p))
            return true;
    }
    return false;
}

static Written write_via_to_json(Json *j, JSValueConst v, const Path *at, int depth, bool *used)
{
    JSContext *ctx = j->ctx;
    JSValue method, result, key;
    Written w;

    *used = false;
    method = JS_GetProperty(ctx, v, JS_ATOM_toJSON);
    if (JS_IsException(method))
        return reading_threw(j, at);
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        return WROTE;
    }
    *used = true;
    key = !at ? JS_AtomToString(ctx, JS_ATOM_empty_string)
              : at->key != JS_ATOM_NULL ? JS_AtomToString(ctx, at->key) : JS_ToString(ctx, JS_NewUint32(ctx, at->index));
    result = JS_Call(ctx, method, v, 1, vc(&key));
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, method);
    if (JS_IsException(result))
        return reading_threw(j, at);
    if (JS_IsObject(result) && JS_VALUE_GET_OBJ(result) == JS_VALUE_GET_OBJ(v)) {
        JS_FreeValue(ctx, result);
        *used = false; /* `toJSON() { return this }`: write the object itself */
        return WROTE;
    }
    w = depth > DEPTH_LIMIT ? problem(j, at, "is nested deeper than 500 levels: return a flatter value")
                            : write_any(j, result, at, depth + 1);
    JS_FreeValue(ctx, result);
    return w;
}

/* ---- objects that JSON has no form for ---- */

static const struct {
    uint16_t class_id;
    const char *what;
} unserializable[] = {
    {JS_CLASS_REGEXP, "is a RegExp: return .source or .toString()"},
    {JS_CLASS_MAP, "is a Map: return Object.fromEntries(map) or [...map]"},
    {JS_CLASS_SET, "is a Set: return [...set]"},
    {JS_CLASS_WEAKMAP, "is a WeakMap: it cannot be listed, return plain data"},
    {JS_CLASS_WEAKSET, "is a WeakSet: it cannot be listed, return plain data"},
    {JS_CLASS_WEAK_REF, "is a WeakRef: return ref.deref()"},
    {JS_CLASS_ARRAY_BUFFER, "is an ArrayBuffer: return Array.from(new Uint8Array(buffer))"},
    {JS_CLASS_SHARED_ARRAY_BUFFER, "is a SharedArrayBuffer: return Array.from(new Uint8Array(buffer))"},
    {JS_CLASS_DATAVIEW, "is a DataView: return the numbers that you read from it"},
    {JS_CLASS_PROMISE, "is a Promise: await it before you return it"},
    {JS_CLASS_GENERATOR, "is a generator: return [...generator]"},
    {JS_CLASS_MAP_ITERATOR, "is an iterator: return [...iterator]"},
    {JS_CLASS_SET_ITERATOR, "is an iterator: return [...iterator]"},
    {JS_CLASS_ARRAY_ITERATOR, "is an iterator: return [...iterator]"},
    {JS_CLASS_STRING_ITERATOR, "is an iterator: return [...iterator]"},
    {JS_CLASS_REGEXP_STRING_ITERATOR, "is an iterator: return [...iterator]"},
    {JS_CLASS_ITERATOR_WRAP, "is an iterator: return [...iterator]"},
    {JS_CLASS_ITERATOR_CONCAT, "is an iterator: return [...iterator]"},
    {JS_CLASS_FINALIZATION_REGISTRY, "is a FinalizationRegistry: leave it out"},
    {JS_CLASS_ITERATOR_HELPER, "is an iterator: return [...iterator] or .toArray()"},
    {JS_CLASS_ASYNC_GENERATOR, "is an async generator: collect it with for await"},
    {JS_CLASS_SYMBOL, "is a Symbol: return its .description"},
    {JS_CLASS_BIG_INT, "is a BigInt: return Number(x) or x.toString()"},
};

static Written write_unserializable(Json *j, JSObject *p, const Path *at)
{
    if (p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_FLOAT64_ARRAY) {
        char what[96], name[ATOM_GET_STR_BUF_SIZE];
        JS_AtomGetStr(j->ctx, name, sizeof name, j->ctx->rt->class_array[p->class_id].class_name);
        snprintf(what, sizeof what, "is a %s: return Array.from(it)", name);
        return problem(j, at, what);
    }
    for (size_t i = 0; i < countof(unserializable); i++)
        if (unserializable[i].class_id == p->class_id)
            return problem(j, at, unserializable[i].what);
    return WROTE;
}

static Written write_date(Json *j, JSValueConst v, const Path *at)
{
    JSValue text;
    if (j->mode == STRICT_VALUE)
        return problem(j, at, "is a Date: return .toISOString()");
    text = get_date_string(j->ctx, v, 0, NULL, 0x23);
    if (JS_IsException(text)) { /* an invalid date */
        JS_FreeValue(j->ctx, JS_GetException(j->ctx));
        put_text(j->out, "null");
        return WROTE;
    }
    put_json_string(j->out, JS_VALUE_GET_STRING(text));
    JS_FreeValue(j->ctx, text);
    return WROTE;
}

/* ---- arrays and objects ---- */

static bool element_of(JSContext *ctx, JSObject *p, uint32_t i, JSValue *out)
{
    if (p->class_id == JS_CLASS_ARRAY && p->fast_array) {
        *out = i < p->u.array.count ? js_dup(p->u.array.u.values[i]) : JS_UNDEFINED;
        return true;
    }
    *out = JS_GetPropertyInt64(ctx, JS_MKPTR(JS_TAG_OBJECT, p), i);
    return !JS_IsException(*out);
}

static Written write_array(Json *j, JSObject *p, const Path *at, int depth)
{
    int64_t length;
    if (js_get_length64(j->ctx, &length, JS_MKPTR(JS_TAG_OBJECT, p)))
        return reading_threw(j, at);
    put_byte(j->out, '[');
    for (int64_t i = 0; i < length && j->out->total < COUNT_STOPS_AT; i++) {
        Path here = {at, JS_ATOM_NULL, (uint32_t)i};
        JSValue v;
        Written w;
        if (i)
            put_byte(j->out, ',');
        if (!element_of(j->ctx, p, (uint32_t)i, &v))
            return reading_threw(j, &here);
        w = write_any(j, v, &here, depth + 1);
        JS_FreeValue(j->ctx, v);
        if (w == FAILED)
            return FAILED;
        if (w == OMITTED)
            put_text(j->out, "null");
    }
    put_byte(j->out, ']');
    return WROTE;
}

/* One `"key":value`; an omitted value takes its key with it. */
static Written write_member(Json *j, JSAtom key, JSValueConst v, bool *first, const Path *at, int depth)
{
    Path here = {at, key, 0};
    uint32_t len = j->out->len;
    uint64_t total = j->out->total;
    JSValue name;
    Written w;

    if (JS_IsUndefined(v))
        return OMITTED;
    name = JS_AtomToString(j->ctx, key);
    if (!*first)
        put_byte(j->out, ',');
    put_json_string(j->out, JS_VALUE_GET_STRING(name));
    JS_FreeValue(j->ctx, name);
    put_byte(j->out, ':');
    w = write_any(j, v, &here, depth + 1);
    if (w == WROTE)
        *first = false;
    if (w == OMITTED) {
        j->out->len = len;
        j->out->total = total;
    }
    return w;
}

/* Every key an ordinary data property in insertion order: the common case, read straight from the shape. */
static bool is_plain(const JSObject *p)
{
    const JSShape *sh = p->shape;
    const JSShapeProperty *prs = get_shape_prop((JSShape *)sh);
    if (p->is_exotic || p->fast_array || !sh->is_hashed)
        return false;
    for (int i = 0; i < sh->prop_count; i++)
        if ((prs[i].flags & JS_PROP_TMASK) != JS_PROP_NORMAL || __JS_AtomIsTaggedInt(prs[i].atom))
            return false;
    return true;
}

static bool is_listed(JSContext *ctx, const JSShapeProperty *pr)
{
    return pr->atom != JS_ATOM_NULL && (pr->flags & JS_PROP_ENUMERABLE) &&
           JS_AtomGetKind(ctx, pr->atom) == JS_ATOM_KIND_STRING;
}

static Written write_plain_members(Json *j, JSObject *p, bool *first, const Path *at, int depth)
{
    JSShape *sh = js_dup_shape(p->shape); /* held: the values' own code may change the object */
    Written w = WROTE;

    for (int i = 0; i < sh->prop_count && w != FAILED; i++) {
        const JSShapeProperty *pr = &get_shape_prop(sh)[i];
        JSValue v;
        if (!is_listed(j->ctx, pr))
            continue;
        v = p->shape == sh ? js_dup(p->prop[i].u.value) : JS_GetProperty(j->ctx, JS_MKPTR(JS_TAG_OBJECT, p), pr->atom);
        if (JS_IsException(v)) {
            Path here = {at, pr->atom, 0};
            w = reading_threw(j, &here);
            break;
        }
        w = write_member(j, pr->atom, v, first, at, depth);
        JS_FreeValue(j->ctx, v);
    }
    js_free_shape(j->ctx->rt, sh);
    return w == FAILED ? FAILED : WROTE;
}

static Written write_listed_members(Json *j, JSObject *p, bool *first, const Path *at, int depth)
{
    JSPropertyEnum *keys;
    uint32_t count;
    Written w = WROTE;

    if (JS_GetOwnPropertyNamesInternal(j->ctx, &keys, &count, p, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
        return reading_threw(j, at);
    for (uint32_t i = 0; i < count && w != FAILED; i++) {
        JSValue v = JS_GetProperty(j->ctx, JS_MKPTR(JS_TAG_OBJECT, p), keys[i].atom);
        if (JS_IsException(v)) {
            Path here = {at, keys[i].atom, 0};
            w = reading_threw(j, &here);
            break;
        }
        w = write_member(j, keys[i].atom, v, first, at, depth);
        JS_FreeValue(j->ctx, v);
    }
    JS_FreePropertyEnum(j->ctx, keys, count);
    return w == FAILED ? FAILED : WROTE;
}

/* The data property `atom` of the object or of its prototypes, read without running any code. */
static bool data_property(JSObject *p, JSAtom atom, JSValueConst *out)
{
    JSProperty *pr;
    for (int hops = 0; p && hops < 64; p = p->shape->proto, hops++) {
        JSShapeProperty *prs;
        if (p->class_id == JS_CLASS_PROXY)
            return false;
        prs = find_own_property(&pr, p, atom);
        if (!prs)
            continue;
        if ((prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL)
            return false;
        *out = pr->u.value;
        return true;
    }
    return false;
}

/* An error's `name` or `message`, as a string, without running any code: a DOMException keeps them inside. */
static bool error_text(JSObject *p, JSAtom atom, JSValueConst *out)
{
    const JSDOMExceptionData *inner;
    if (p->class_id != JS_CLASS_DOM_EXCEPTION)
        return data_property(p, atom, out) && JS_IsString(*out);
    inner = p->u.opaque;
    if (!inner)
        return false;
    *out = atom == JS_ATOM_name ? inner->name : inner->message;
    return true;
}

/* Error.prototype's own name and message exist only once they have been read: data_property then sees them. */
static void init_error_text(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetProperty(ctx, ctx->class_proto[JS_CLASS_ERROR], JS_ATOM_name));
    JS_FreeValue(ctx, JS_GetProperty(ctx, ctx->class_proto[JS_CLASS_ERROR], JS_ATOM_message));
}

/* An Error's name and message are not enumerable, yet they are what a reader of the value needs. */
static Written write_error_members(Json *j, JSObject *p, bool *first, const Path *at, int depth)
{
    static const JSAtom names[] = {JS_ATOM_name, JS_ATOM_message};
    for (size_t i = 0; i < countof(names); i++) {
        JSProperty *own;
        JSValueConst v;
        JSShapeProperty *prs = find_own_property(&own, p, names[i]);
        if (prs && (prs->flags & JS_PROP_ENUMERABLE))
            continue; /* it comes with the other members */
        if (error_text(p, names[i], &v) && write_member(j, names[i], v, first, at, depth) == FAILED)
            return FAILED;
    }
    return WROTE;
}

static Written write_members(Json *j, JSObject *p, const Path *at, int depth)
{
    bool first = true;
    Written w = WROTE;

    put_byte(j->out, '{');
    if (p->class_id == JS_CLASS_ERROR || p->class_id == JS_CLASS_DOM_EXCEPTION)
        w = write_error_members(j, p, &first, at, depth);
    if (w != FAILED)
        w = is_plain(p) ? write_plain_members(j, p, &first, at, depth) : write_listed_members(j, p, &first, at, depth);
    put_byte(j->out, '}');
    return w;
}

static Written write_structure(Json *j, JSValueConst v, const Path *at, int depth)
{
    JSObject *p = JS_VALUE_GET_OBJ(v);
    int is_array;
    Written w;

    if (p->tmp_mark)
        return problem(j, at, "refers to an object that contains it (a cycle): return a copy without that reference");
    if (depth > DEPTH_LIMIT)
        return problem(j, at, "is nested deeper than 500 levels: return a flatter value");
    is_array = js_is_array(j->ctx, v);
    if (is_array < 0)
        return reading_threw(j, at);
    p->tmp_mark = 1;
    w = is_array ? write_array(j, p, at, depth) : write_members(j, p, at, depth);
    p->tmp_mark = 0;
    return w;
}

struct crossing_object {
    Json *j;
    JSValueConst v;
    const Path *at;
    int depth;
    Written result;
};

static void continue_object(void *arg)
{
    struct crossing_object *c = arg;
    c->result = write_object(c->j, c->v, c->at, c->depth);
}

static Written write_object_on_second_stack(Json *j, JSValueConst v, const Path *at, int depth)
{
    struct crossing_object c = {j, v, at, depth, FAILED};
    if (!on_second_stack(continue_object, &c))
        return problem(j, at, "is nested too deeply to be written: return a flatter value");
    return c.result;
}

static Written write_object(Json *j, JSValueConst v, const Path *at, int depth)
{
    JSContext *ctx = j->ctx;
    JSObject *p = JS_VALUE_GET_OBJ(v);

    if (js_check_stack_overflow(ctx->rt, 4096))
        return write_object_on_second_stack(j, v, at, depth);

    if (has_own_to_json(ctx, p)) {
        bool used;
        Written w = write_via_to_json(j, v, at, depth, &used);
        if (used || w == FAILED)
            return w;
    }
    if (JS_IsFunction(ctx, v))
        return j->mode == STRINGIFY ? OMITTED : problem(j, at, "is a function: call it, or leave it out");
    switch (p->class_id) {
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
        return write_any(j, p->u.object_data, at, depth);
    case JS_CLASS_BIG_INT:
        return problem(j, at, "is a BigInt: return Number(x) or x.toString()");
    case JS_CLASS_DATE:
        return write_date(j, v, at);
    default:
        if (j->mode != STRINGIFY && write_unserializable(j, p, at) == FAILED)
            return FAILED;
        return write_structure(j, v, at, depth);
    }
}

static Written write_number(Json *j, double d, const Path *at)
{
    char text[128];
    JSDTOATempMem scratch;
    int n;

    if (!isfinite(d)) {
        if (j->mode != STRINGIFY)
            return problem(j, at, isnan(d) ? "is NaN, which JSON cannot hold: return null or a number"
                                           : "is Infinity, which JSON cannot hold: return null or a number");
        put_text(j->out, "null");
        return WROTE;
    }
    n = js_dtoa(text, d, 10, 0, JS_DTOA_FORMAT_FREE, &scratch);
    put_bytes(j->out, text, (uint32_t)n);
    return WROTE;
}

static Written write_rope(Json *j, JSValueConst v, const Path *at)
{
    JSValue flat = js_linearize_string_rope(j->ctx, v);
    if (JS_IsException(flat))
        return reading_threw(j, at);
    put_json_string(j->out, JS_VALUE_GET_STRING(flat));
    JS_FreeValue(j->ctx, flat);
    return WROTE;
}

static Written write_any(Json *j, JSValueConst v, const Path *at, int depth)
{
    char text[16];

    switch (JS_VALUE_GET_NORM_TAG(v)) {
    case JS_TAG_NULL:
        put_bytes(j->out, "null", 4);
        return WROTE;
    case JS_TAG_BOOL:
        put_text(j->out, JS_VALUE_GET_BOOL(v) ? "true" : "false");
        return WROTE;
    case JS_TAG_INT:
        put_bytes(j->out, text, (uint32_t)i32toa(text, JS_VALUE_GET_INT(v)));
        return WROTE;
    case JS_TAG_FLOAT64:
        return write_number(j, JS_VALUE_GET_FLOAT64(v), at);
    case JS_TAG_STRING:
        put_json_string(j->out, JS_VALUE_GET_STRING(v));
        return WROTE;
    case JS_TAG_STRING_ROPE:
        return write_rope(j, v, at);
    case JS_TAG_OBJECT:
        return write_object(j, v, at, depth);
    case JS_TAG_SYMBOL:
        return j->mode == STRINGIFY ? OMITTED : problem(j, at, "is a Symbol: return its .description");
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        return problem(j, at, "is a BigInt: return Number(x) or x.toString()");
    default:
        return OMITTED;
    }
}
