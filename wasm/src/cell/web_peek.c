/* The engine's side of web_peek.h.
 *
 * Not a translation unit of its own: the cell #includes it after quickjs.c,
 * because it reads structures that quickjs.h does not declare. Nothing here
 * calls JavaScript. The one write is JS_AutoInitProperty, which materialises a
 * built-in property that the engine creates on first use.
 */
#include "web_peek.h"

#define PEEK_OBJ(v) JS_VALUE_GET_OBJ(v)

static JSValueConst peek_borrow(JSObject *p)
{
    return p ? JS_MKPTR(JS_TAG_OBJECT, p) : JS_NULL;
}

static PeekKind peek_class_kind(JSClassID id)
{
    if (is_typed_array(id))
        return PEEK_TYPED_ARRAY;
    switch (id) {
    case JS_CLASS_OBJECT:
    case JS_CLASS_MODULE_NS:
        return PEEK_PLAIN;
    case JS_CLASS_ARRAY:
        return PEEK_ARRAY;
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS:
        return PEEK_ARGUMENTS;
    case JS_CLASS_ERROR:
        return PEEK_ERROR;
    case JS_CLASS_DOM_EXCEPTION:
        return PEEK_DOM_EXCEPTION;
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT:
        return PEEK_BOXED;
    case JS_CLASS_DATE:
        return PEEK_DATE;
    case JS_CLASS_REGEXP:
        return PEEK_REGEXP;
    case JS_CLASS_ARRAY_BUFFER:
    case JS_CLASS_SHARED_ARRAY_BUFFER:
        return PEEK_ARRAY_BUFFER;
    case JS_CLASS_DATAVIEW:
        return PEEK_DATA_VIEW;
    case JS_CLASS_MAP:
        return PEEK_MAP;
    case JS_CLASS_SET:
        return PEEK_SET;
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
    case JS_CLASS_WEAK_REF:
    case JS_CLASS_FINALIZATION_REGISTRY:
        return PEEK_WEAK;
    case JS_CLASS_PROMISE:
        return PEEK_PROMISE;
    case JS_CLASS_PROXY:
        return PEEK_PROXY;
    default:
        return PEEK_HOST;
    }
}

PeekKind peek_kind(JSValueConst object)
{
    JSClassID id = PEEK_OBJ(object)->class_id;

    switch (id) {
    case JS_CLASS_C_FUNCTION:
    case JS_CLASS_BYTECODE_FUNCTION:
    case JS_CLASS_BOUND_FUNCTION:
    case JS_CLASS_C_FUNCTION_DATA:
    case JS_CLASS_C_CLOSURE:
    case JS_CLASS_GENERATOR_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION:
    case JS_CLASS_ASYNC_GENERATOR_FUNCTION:
    case JS_CLASS_PROMISE_RESOLVE_FUNCTION:
    case JS_CLASS_PROMISE_REJECT_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION_RESOLVE:
    case JS_CLASS_ASYNC_FUNCTION_REJECT:
        return PEEK_FUNCTION;
    default:
        return peek_class_kind(id);
    }
}

JSValueConst peek_prototype(JSValueConst object)
{
    return peek_borrow(PEEK_OBJ(object)->shape->proto);
}

/* ------------------------------------------------------------ properties */

static void peek_fill(JSProperty *pr, JSShapeProperty *prs, PeekProperty *out)
{
    out->atom = prs->atom;
    out->index = __JS_AtomIsTaggedInt(prs->atom) ? __JS_AtomToUInt32(prs->atom)
                                                 : PEEK_NO_INDEX;
    out->enumerable = (prs->flags & JS_PROP_ENUMERABLE) != 0;
    out->access = PEEK_DATA;
    out->value = JS_UNDEFINED;
    switch (prs->flags & JS_PROP_TMASK) {
    case JS_PROP_NORMAL:
        out->value = pr->u.value;
        break;
    case JS_PROP_VARREF:
        if (!JS_IsUninitialized(*pr->u.var_ref->pvalue))
            out->value = *pr->u.var_ref->pvalue;
        break;
    case JS_PROP_GETSET:
        out->access = pr->u.getset.getter == NULL ? PEEK_SETTER
                    : pr->u.getset.setter == NULL ? PEEK_GETTER
                                                  : PEEK_GETTER_SETTER;
        break;
    default:
        break;
    }
}

bool peek_own(JSContext *ctx, JSValueConst object, JSAtom atom, PeekProperty *out)
{
    JSObject *p = PEEK_OBJ(object);
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, p, atom);

    if (!prs)
        return false;
    if ((prs->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT) {
        if (JS_AutoInitProperty(ctx, p, atom, pr, prs)) {
            JS_FreeValue(ctx, JS_GetException(ctx));
            return false;
        }
        prs = find_own_property(&pr, p, atom);
    }
    peek_fill(pr, prs, out);
    out->is_symbol = false;
    return true;
}

JSValueConst peek_data(JSContext *ctx, JSValueConst object, JSAtom atom)
{
    PeekProperty found;
    int steps;

    for (steps = 0; steps < 1000 && JS_IsObject(object); steps++) {
        if (peek_kind(object) == PEEK_PROXY)
            break;
        if (peek_own(ctx, object, atom, &found))
            return found.value;
        object = peek_prototype(object);
    }
    return JS_UNDEFINED;
}

enum { PEEK_RANK_INDEX, PEEK_RANK_NAME, PEEK_RANK_SYMBOL, PEEK_RANKS };

static int peek_rank(JSContext *ctx, JSAtom atom)
{
    if (__JS_AtomIsTaggedInt(atom))
        return PEEK_RANK_INDEX;
    switch (JS_AtomGetKind(ctx, atom)) {
    case JS_ATOM_KIND_STRING:
        return PEEK_RANK_NAME;
    case JS_ATOM_KIND_SYMBOL:
        return PEEK_RANK_SYMBOL;
    default:
        return -1; /* private fields are nobody's business */
    }
}

static void peek_sort_by_index(PeekProperty *tab, int n)
{
    int i, j;
    PeekProperty one;

    for (i = 1; i < n; i++) {
        one = tab[i];
        for (j = i; j > 0 && tab[j - 1].index > one.index; j--)
            tab[j] = tab[j - 1];
        tab[j] = one;
    }
}

/* Materialises enumerable built-ins, which the engine creates on first use. */
static void peek_settle(JSContext *ctx, JSValueConst object)
{
    JSObject *p = PEEK_OBJ(object);
    JSShapeProperty *prs;
    PeekProperty ignored;
    int i;

    for (i = 0; i < p->shape->prop_count; i++) {
        prs = &get_shape_prop(p->shape)[i];
        if (prs->atom != JS_ATOM_NULL && (prs->flags & JS_PROP_ENUMERABLE) &&
            (prs->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT)
            peek_own(ctx, object, prs->atom, &ignored);
    }
}

int peek_properties(JSContext *ctx, JSValueConst object, PeekProperty *out,
                    int max, uint32_t *total)
{
    JSObject *p = PEEK_OBJ(object);
    JSShapeProperty *prs;
    int i, rank, n = 0, counts[PEEK_RANKS] = { 0 };

    peek_settle(ctx, object);
    prs = get_shape_prop(p->shape);
    for (rank = 0; rank < PEEK_RANKS; rank++) {
        for (i = 0; i < p->shape->prop_count; i++) {
            if (prs[i].atom == JS_ATOM_NULL || !(prs[i].flags & JS_PROP_ENUMERABLE))
                continue;
            if (peek_rank(ctx, prs[i].atom) != rank)
                continue;
            if (n < max) {
                peek_fill(&p->prop[i], &prs[i], &out[n]);
                out[n++].is_symbol = rank == PEEK_RANK_SYMBOL;
            }
            counts[rank]++;
        }
        if (rank == PEEK_RANK_INDEX)
            peek_sort_by_index(out, n);
    }
    *total = counts[PEEK_RANK_INDEX] + counts[PEEK_RANK_NAME] + counts[PEEK_RANK_SYMBOL];
    return n;
}

/* ------------------------------------------------------------------ text */

static bool peek_is_rope(JSValueConst text)
{
    return JS_VALUE_GET_TAG(text) == JS_TAG_STRING_ROPE;
}

uint32_t peek_text_length(JSValueConst text)
{
    if (peek_is_rope(text))
        return JS_VALUE_GET_STRING_ROPE(text)->len;
    return JS_VALUE_GET_STRING(text)->len;
}

static uint32_t peek_flat_copy(JSString *s, uint32_t start, uint16_t *out, uint32_t max)
{
    uint32_t i, n = s->len - start < max ? s->len - start : max;

    if (s->is_wide_char) {
        memcpy(out, str16(s) + start, n * sizeof(*out));
        return n;
    }
    for (i = 0; i < n; i++)
        out[i] = str8(s)[start + i];
    return n;
}

uint32_t peek_text_copy(JSValueConst text, uint32_t start, uint16_t *out, uint32_t max)
{
    JSStringRope *rope;
    uint32_t left, n = 0;

    if (max == 0 || start >= peek_text_length(text))
        return 0;
    if (!peek_is_rope(text))
        return peek_flat_copy(JS_VALUE_GET_STRING(text), start, out, max);
    rope = JS_VALUE_GET_STRING_ROPE(text);
    left = peek_text_length(rope->left);
    if (start < left)
        n = peek_text_copy(rope->left, start, out, max);
    start = start > left ? start - left : 0;
    return n + peek_text_copy(rope->right, start, out + n, max - n);
}

uint32_t peek_bigint_bits(JSValueConst bigint)
{
    if (JS_VALUE_GET_TAG(bigint) == JS_TAG_SHORT_BIG_INT)
        return JS_LIMB_BITS;
    return ((JSBigInt *)JS_VALUE_GET_PTR(bigint))->len * JS_LIMB_BITS;
}

/* ----------------------------------------------------------- collections */

uint32_t peek_array_length(JSValueConst array)
{
    JSObject *p = PEEK_OBJ(array);
    JSValueConst length;
    double d;

    if (p->class_id != JS_CLASS_ARRAY)
        return p->fast_array ? p->u.array.count : 0;
    length = p->prop[0].u.value; /* an array's first property is its length */
    if (JS_VALUE_GET_TAG(length) == JS_TAG_INT)
        return JS_VALUE_GET_INT(length);
    d = JS_VALUE_GET_FLOAT64(length);
    return (uint32_t)d;
}

bool peek_dense(JSValueConst array, JSValueConst **values, uint32_t *count)
{
    JSObject *p = PEEK_OBJ(array);

    if (!p->fast_array || p->class_id == JS_CLASS_MAPPED_ARGUMENTS || is_typed_array(p->class_id))
        return false;
    *values = vc(p->u.array.u.values);
    *count = p->u.array.count;
    return true;
}

bool peek_item(JSContext *ctx, JSValueConst array, uint32_t i, PeekProperty *out)
{
    JSObject *p = PEEK_OBJ(array);
    JSAtom atom;
    bool found;

    if (p->fast_array && i < p->u.array.count) {
        out->access = PEEK_DATA;
        out->value = p->class_id == JS_CLASS_MAPPED_ARGUMENTS
                   ? *p->u.array.u.var_refs[i]->pvalue : p->u.array.u.values[i];
        return true;
    }
    atom = JS_NewAtomUInt32(ctx, i);
    found = peek_own(ctx, array, atom, out);
    JS_FreeAtom(ctx, atom);
    return found;
}

uint32_t peek_size(JSValueConst map_or_set)
{
    return PEEK_OBJ(map_or_set)->u.map_state->record_count;
}

bool peek_entry(JSValueConst map_or_set, void **cursor, JSValueConst *key,
                JSValueConst *value)
{
    JSMapState *s = PEEK_OBJ(map_or_set)->u.map_state;
    struct list_head *el = *cursor ? ((struct list_head *)*cursor)->next : s->records.next;
    JSMapRecord *record;

    for (; el != &s->records; el = el->next) {
        record = list_entry(el, JSMapRecord, link);
        if (record->empty)
            continue;
        *cursor = el;
        *key = record->key;
        *value = record->value;
        return true;
    }
    return false;
}

/* --------------------------------------------------------- inner values */

JSValueConst peek_inner(JSValueConst object)
{
    return PEEK_OBJ(object)->u.object_data;
}

JSValueConst peek_dom_exception(JSValueConst object, bool want_message)
{
    JSDOMExceptionData *s = JS_GetOpaque(object, JS_CLASS_DOM_EXCEPTION);

    if (!s)
        return JS_UNDEFINED;
    return want_message ? s->message : s->name;
}

JSValueConst peek_regexp(JSContext *ctx, JSValueConst object, int *flags)
{
    JSRegExp *re = &PEEK_OBJ(object)->u.regexp;

    if (!re->pattern)
        return JS_UNDEFINED;
    *flags = lre_get_flags(str8(re->bytecode));
    return JS_MKPTR(JS_TAG_STRING, re->pattern);
}

void peek_function(JSValueConst object, PeekFunction *out)
{
    JSObject *p = PEEK_OBJ(object);
    JSFunctionBytecode *b;

    out->kind = p->class_id == JS_CLASS_GENERATOR_FUNCTION ? "GeneratorFunction"
              : p->class_id == JS_CLASS_ASYNC_FUNCTION ? "AsyncFunction"
              : p->class_id == JS_CLASS_ASYNC_GENERATOR_FUNCTION ? "AsyncGeneratorFunction"
                                                                 : "Function";
    out->is_class = out->is_derived_class = false;
    if (p->class_id != JS_CLASS_BYTECODE_FUNCTION)
        return;
    b = p->u.func.function_bytecode;
    out->is_class = b->source && b->source_len > 5 && !memcmp(b->source, "class", 5) &&
                    !lre_js_is_ident_next((uint8_t)b->source[5]);
    out->is_derived_class = b->is_derived_class_constructor;
}

JSValueConst peek_promise(JSValueConst object, JSPromiseStateEnum *state)
{
    JSPromiseData *s = JS_GetOpaque(object, JS_CLASS_PROMISE);

    *state = s ? s->promise_state : JS_PROMISE_PENDING;
    return s ? s->promise_result : JS_UNDEFINED;
}

JSValueConst peek_proxy_target(JSValueConst object)
{
    JSProxyData *s = JS_GetOpaque(object, JS_CLASS_PROXY);

    return !s || s->is_revoked ? JS_NULL : s->target;
}

void peek_buffer(JSValueConst object, PeekBuffer *out)
{
    JSArrayBuffer *abuf = PEEK_OBJ(object)->u.array_buffer;

    memset(out, 0, sizeof(*out));
    out->max_length = -1;
    if (!abuf)
        return;
    out->data = abuf->data;
    out->length = abuf->byte_length;
    out->max_length = abuf->max_byte_length;
    out->is_shared = abuf->shared;
    out->is_detached = abuf->detached;
}

static uint32_t peek_data_view_length(JSTypedArray *ta)
{
    JSArrayBuffer *abuf = ta->buffer->u.array_buffer;

    if (abuf->detached || ta->offset > abuf->byte_length)
        return UINT32_MAX;
    if (ta->track_rab)
        return abuf->byte_length - ta->offset;
    return (int64_t)ta->offset + ta->length > abuf->byte_length ? UINT32_MAX : ta->length;
}

void peek_view(JSValueConst object, PeekView *out)
{
    JSObject *p = PEEK_OBJ(object);
    JSTypedArray *ta = p->u.typed_array;

    memset(out, 0, sizeof(*out));
    out->buffer = JS_UNDEFINED;
    out->element_size = 1;
    out->is_out_of_bounds = true;
    if (!ta)
        return;
    out->buffer = peek_borrow(ta->buffer);
    out->offset = ta->offset;
    out->tracks_buffer = ta->track_rab;
    if (p->class_id == JS_CLASS_DATAVIEW) {
        out->length = peek_data_view_length(ta);
        out->is_out_of_bounds = out->length == UINT32_MAX;
    } else {
        out->element_size = 1 << typed_array_size_log2(p->class_id);
        out->length = p->u.array.count;
        out->is_out_of_bounds = typed_array_is_oob(p);
    }
    if (out->is_out_of_bounds)
        out->length = 0;
}

JSAtom peek_class_name(JSContext *ctx, JSValueConst object)
{
    return ctx->rt->class_array[PEEK_OBJ(object)->class_id].class_name;
}

JSValue peek_backtrace(JSContext *ctx)
{
    JSValue hook = ctx->error_prepare_stack, error, stack;

    ctx->error_prepare_stack = JS_UNDEFINED; /* the program's Error.prepareStackTrace */
    error = JS_NewError(ctx);
    ctx->error_prepare_stack = hook;
    if (JS_IsException(error)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return js_empty_string(ctx->rt);
    }
    stack = js_dup(peek_inner(error));
    JS_FreeValue(ctx, error);
    if (JS_IsString(stack))
        return stack;
    JS_FreeValue(ctx, stack);
    return js_empty_string(ctx->rt);
}

JSAtom peek_to_string_tag(void)
{
    return JS_ATOM_Symbol_toStringTag;
}

JSAtom peek_iterator_symbol(void)
{
    return JS_ATOM_Symbol_iterator;
}

JSValueConst peek_iterator_prototype(JSContext *ctx)
{
    return ctx->class_proto[JS_CLASS_ITERATOR];
}

/* ------------------------------------------------------------ new values */

JSValue peek_new_error(JSContext *ctx, const char *type_name)
{
    static const char *const names[] = { "EvalError", "RangeError", "ReferenceError",
                                         "SyntaxError", "TypeError", "URIError" };
    int i;

    for (i = 0; i < countof(names); i++) {
        if (!strcmp(type_name, names[i]))
            return JS_NewObjectProtoClass(ctx, ctx->native_error_proto[JS_EVAL_ERROR + i],
                                          JS_CLASS_ERROR);
    }
    return JS_NewObjectClass(ctx, JS_CLASS_ERROR);
}

void peek_set_error_stack(JSContext *ctx, JSValueConst error, JSValueConst stack)
{
    JSObject *p = PEEK_OBJ(error);

    JS_FreeValue(ctx, p->u.object_data);
    p->u.object_data = js_dup(stack);
}

JSValue peek_new_map(JSContext *ctx, bool is_set)
{
    return js_map_constructor(ctx, JS_UNDEFINED, 0, NULL, is_set ? MAGIC_SET : 0);
}

int peek_map_set(JSContext *ctx, JSValueConst map, JSValueConst key, JSValueConst value)
{
    JSValueConst args[2] = { key, value };
    int magic = PEEK_OBJ(map)->class_id == JS_CLASS_SET ? MAGIC_SET : 0;
    JSValue done = js_map_set(ctx, map, 2, args, magic);

    JS_FreeValue(ctx, done);
    return JS_IsException(done) ? -1 : 0;
}

JSValue peek_new_regexp(JSContext *ctx, JSValueConst source, JSValueConst like)
{
    JSRegExp *re = &PEEK_OBJ(like)->u.regexp;

    return js_regexp_constructor_internal(ctx, JS_UNDEFINED, js_dup(source),
                                          js_dup(JS_MKPTR(JS_TAG_STRING, re->bytecode)));
}

JSValue peek_new_dom_exception(JSContext *ctx, JSValueConst like)
{
    JSDOMExceptionData *s = JS_GetOpaque(like, JS_CLASS_DOM_EXCEPTION);
    JSValueConst args[2] = { s ? s->message : JS_UNDEFINED, s ? s->name : JS_UNDEFINED };

    return js_domexception_constructor0(ctx, JS_UNDEFINED, 2, args, 0);
}

JSValue peek_new_buffer(JSContext *ctx, uint32_t length, int64_t max_length)
{
    uint64_t max = max_length;

    return js_array_buffer_constructor2(ctx, JS_UNDEFINED, length,
                                        max_length < 0 ? NULL : &max, JS_CLASS_ARRAY_BUFFER);
}

JSValue peek_new_view(JSContext *ctx, JSValueConst like, JSValue buffer,
                      const PeekView *view)
{
    JSClassID id = PEEK_OBJ(like)->class_id;
    JSValueConst args[3] = { buffer, js_int32(view->offset),
                             view->tracks_buffer ? JS_UNDEFINED : js_int32(view->length) };
    JSValue made = id == JS_CLASS_DATAVIEW
                 ? js_dataview_constructor(ctx, JS_UNDEFINED, 3, args)
                 : js_typed_array_constructor(ctx, JS_UNDEFINED, 3, args, id);

    JS_FreeValue(ctx, buffer);
    return made;
}
