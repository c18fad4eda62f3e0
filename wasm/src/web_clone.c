/* structuredClone (HTML standard, StructuredSerializeWithTransfer and its
 * counterpart in one pass).
 *
 * Depth costs heap, not stack: an object's copy is made empty and a frame that
 * fills it goes on a stack of frames. The memory maps each source object to its
 * copy, which is what keeps cycles and shared references; it holds its keys, so
 * that an object a getter made cannot be freed and taken for another. Getters
 * on the value run, as the standard says, and may throw.
 */
#include "web.h"
#include "web_class.h"
#include "web_inspect.h"
#include "web_peek.h"

typedef struct Pair {
    JSValue source, copy;
} Pair;

typedef struct Frame {
    PeekKind kind;
    JSValue source, copy;
    JSPropertyEnum *names; /* NULL when items are walked by number */
    JSValue *entries;      /* a collection's keys and values as they were */
    uint32_t count, next;
} Frame;

typedef struct Clone {
    JSContext *ctx;
    Pair *memory; /* open addressing, a power of two in size */
    uint32_t memory_size, memory_count;
    Frame *frames;
    int frame_size, frame_count;
    Pair *transfers;
    uint32_t transfer_count;
} Clone;

static JSValue clone_value(Clone *c, JSValueConst value);

/* ----------------------------------------------------------------- memory */

static uint32_t slot_of(const Clone *c, JSValueConst source)
{
    uintptr_t key = (uintptr_t)JS_VALUE_GET_PTR(source);
    uint32_t i = (uint32_t)(key >> 3) * 2654435761u;

    for (i &= c->memory_size - 1; JS_IsObject(c->memory[i].source); i = (i + 1) & (c->memory_size - 1)) {
        if (JS_VALUE_GET_PTR(c->memory[i].source) == JS_VALUE_GET_PTR(source))
            break;
    }
    return i;
}

static int grow_memory(Clone *c)
{
    Pair *old = c->memory;
    uint32_t size = c->memory_size, i;

    c->memory = js_malloc(c->ctx, (size ? size * 2 : 16) * sizeof(Pair));
    if (!c->memory) {
        c->memory = old;
        return -1;
    }
    c->memory_size = size ? size * 2 : 16;
    for (i = 0; i < c->memory_size; i++)
        c->memory[i].source = JS_UNDEFINED;
    for (i = 0; i < size; i++) {
        if (JS_IsObject(old[i].source))
            c->memory[slot_of(c, old[i].source)] = old[i];
    }
    js_free(c->ctx, old);
    return 0;
}

static int remember(Clone *c, JSValueConst source, JSValueConst copy)
{
    uint32_t i;

    if (c->memory_count * 2 >= c->memory_size && grow_memory(c) < 0)
        return -1;
    i = slot_of(c, source);
    c->memory[i].source = JS_DupValue(c->ctx, source);
    c->memory[i].copy = JS_DupValue(c->ctx, copy);
    c->memory_count++;
    return 0;
}

/* ----------------------------------------------------------------- errors */

static JSValue refuse(Clone *c, JSValueConst value)
{
    char bytes[121];
    Text text = { bytes, 0, sizeof(bytes) - 1, false };

    inspect_cell(c->ctx, &text, value, -1);
    text_cut(&text, sizeof(bytes) - 1);
    bytes[text.length] = 0;
    return JS_ThrowDOMException(c->ctx, "DataCloneError", "%s could not be cloned", bytes);
}

static JSValue copy_error(Clone *c, JSValueConst source)
{
    JSValue name = JS_GetPropertyStr(c->ctx, source, "name"), made, message;
    JSAtom atom = JS_NewAtom(c->ctx, "message");
    const char *text = JS_IsException(name) ? NULL : JS_ToCString(c->ctx, name);
    PeekProperty own;

    JS_FreeValue(c->ctx, name);
    if (!text) {
        JS_FreeAtom(c->ctx, atom);
        return JS_EXCEPTION;
    }
    made = peek_new_error(c->ctx, text);
    JS_FreeCString(c->ctx, text);
    if (!JS_IsException(made) && peek_own(c->ctx, source, atom, &own) && own.access == PEEK_DATA) {
        message = JS_ToString(c->ctx, own.value);
        if (JS_IsException(message) ||
            JS_DefinePropertyValue(c->ctx, made, atom, message,
                                   JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0) {
            JS_FreeValue(c->ctx, made);
            made = JS_EXCEPTION;
        }
    }
    JS_FreeAtom(c->ctx, atom);
    if (!JS_IsException(made))
        peek_set_error_stack(c->ctx, made, peek_inner(source));
    return made;
}

/* ----------------------------------------------------------------- copies */

static JSValue copy_buffer(Clone *c, JSValueConst source)
{
    PeekBuffer from, to;
    JSValue made;

    peek_buffer(source, &from);
    if (from.is_detached || from.is_shared)
        return refuse(c, source);
    made = peek_new_buffer(c->ctx, from.length, from.max_length);
    if (JS_IsException(made))
        return made;
    peek_buffer(made, &to);
    peek_buffer(source, &from);
    memcpy(to.data, from.data, to.length < from.length ? to.length : from.length);
    return made;
}

static JSValue copy_view(Clone *c, JSValueConst source)
{
    PeekView view;
    JSValue buffer;

    peek_view(source, &view);
    if (view.is_out_of_bounds)
        return refuse(c, source);
    buffer = clone_value(c, view.buffer);
    return JS_IsException(buffer) ? buffer : peek_new_view(c->ctx, source, buffer, &view);
}

static JSValue copy_array(Clone *c, JSValueConst source)
{
    JSValue made = JS_NewArray(c->ctx);

    if (!JS_IsException(made) && JS_SetLength(c->ctx, made, peek_array_length(source)) < 0) {
        JS_FreeValue(c->ctx, made);
        return JS_EXCEPTION;
    }
    return made;
}

static JSValue copy_date(Clone *c, JSValueConst source)
{
    double ms = NAN;

    JS_ToFloat64(c->ctx, &ms, peek_inner(source));
    return JS_NewDate(c->ctx, ms);
}

static JSValue copy_regexp(Clone *c, JSValueConst source)
{
    int flags;
    JSValueConst pattern = peek_regexp(c->ctx, source, &flags);

    return JS_IsString(pattern) ? peek_new_regexp(c->ctx, pattern, source) : refuse(c, source);
}

/* The copy without its members. */
static JSValue copy_shell(Clone *c, JSValueConst source, PeekKind kind)
{
    switch (kind) {
    case PEEK_PLAIN:
        return JS_NewObject(c->ctx);
    case PEEK_ARRAY:
        return copy_array(c, source);
    case PEEK_MAP:
    case PEEK_SET:
        return peek_new_map(c->ctx, kind == PEEK_SET);
    case PEEK_ERROR:
        return copy_error(c, source);
    case PEEK_DOM_EXCEPTION:
        return peek_new_dom_exception(c->ctx, source);
    case PEEK_DATE:
        return copy_date(c, source);
    case PEEK_REGEXP:
        return copy_regexp(c, source);
    case PEEK_BOXED:
        if (JS_IsSymbol(peek_inner(source)))
            return refuse(c, source);
        return JS_ToObject(c->ctx, peek_inner(source));
    case PEEK_ARRAY_BUFFER:
        return copy_buffer(c, source);
    case PEEK_TYPED_ARRAY:
    case PEEK_DATA_VIEW:
        return copy_view(c, source);
    default:
        return refuse(c, source);
    }
}

/* ----------------------------------------------------------------- frames */

static Frame *push_frame(Clone *c, PeekKind kind, JSValueConst source, JSValueConst copy)
{
    int size = c->frame_count == c->frame_size ? c->frame_size * 2 + 16 : c->frame_size;
    Frame *frames = c->frames, *frame;

    if (size != c->frame_size) {
        frames = js_realloc(c->ctx, c->frames, size * sizeof(Frame));
        if (!frames)
            return NULL;
        c->frames = frames;
        c->frame_size = size;
    }
    frame = &frames[c->frame_count++];
    memset(frame, 0, sizeof(*frame));
    frame->kind = kind;
    frame->source = JS_DupValue(c->ctx, source);
    frame->copy = JS_DupValue(c->ctx, copy);
    return frame;
}

static void pop_frame(Clone *c)
{
    Frame *frame = &c->frames[--c->frame_count];
    uint32_t i;

    if (frame->names)
        JS_FreePropertyEnum(c->ctx, frame->names, frame->count);
    for (i = 0; frame->entries && i < frame->count; i++)
        JS_FreeValue(c->ctx, frame->entries[i]);
    js_free(c->ctx, frame->entries);
    JS_FreeValue(c->ctx, frame->source);
    JS_FreeValue(c->ctx, frame->copy);
}

/* A collection may change while its members are copied: take them now. */
static int take_entries(Clone *c, Frame *frame)
{
    uint32_t size = peek_size(frame->source) * 2;
    JSValueConst key, value;
    void *cursor = NULL;

    frame->entries = js_malloc(c->ctx, (size + 1) * sizeof(JSValue));
    if (!frame->entries)
        return -1;
    while (frame->count + 1 < size && peek_entry(frame->source, &cursor, &key, &value)) {
        frame->entries[frame->count++] = JS_DupValue(c->ctx, key);
        frame->entries[frame->count++] = JS_DupValue(c->ctx, value);
    }
    return 0;
}

static bool is_dense(JSContext *ctx, JSValueConst array, uint32_t *count)
{
    JSValueConst *items;
    PeekProperty any;
    uint32_t extra;

    if (!peek_dense(array, &items, count))
        return false;
    peek_properties(ctx, array, &any, 1, &extra);
    return extra == 0;
}

static int begin_members(Clone *c, Frame *frame)
{
    if (frame->kind == PEEK_MAP || frame->kind == PEEK_SET)
        return take_entries(c, frame);
    if (frame->kind == PEEK_ERROR) {
        frame->count = 1;
        return 0;
    }
    if (frame->kind == PEEK_ARRAY && is_dense(c->ctx, frame->source, &frame->count))
        return 0;
    return JS_GetOwnPropertyNames(c->ctx, &frame->names, &frame->count, frame->source,
                                  JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY);
}

static int copy_member(Clone *c, JSValueConst source, JSValueConst copy, JSAtom name, int flags)
{
    JSPropertyDescriptor own;
    int found = JS_GetOwnProperty(c->ctx, &own, source, name);
    JSValue value, made;

    if (found <= 0)
        return found;
    JS_FreeValue(c->ctx, own.getter);
    JS_FreeValue(c->ctx, own.setter);
    value = own.value;
    if (own.flags & JS_PROP_GETSET) {
        JS_FreeValue(c->ctx, own.value);
        value = JS_GetProperty(c->ctx, source, name);
    }
    made = JS_IsException(value) ? JS_EXCEPTION : clone_value(c, value);
    JS_FreeValue(c->ctx, value);
    if (JS_IsException(made))
        return -1;
    return JS_DefinePropertyValue(c->ctx, copy, name, made, flags) < 0 ? -1 : 0;
}

static int copy_entry(Clone *c, JSValueConst copy, JSValueConst key, JSValueConst value)
{
    JSValue k = clone_value(c, key), v = JS_UNDEFINED;
    int status = -1;

    if (!JS_IsException(k))
        v = clone_value(c, value);
    if (!JS_IsException(k) && !JS_IsException(v))
        status = peek_map_set(c->ctx, copy, k, v);
    JS_FreeValue(c->ctx, k);
    JS_FreeValue(c->ctx, v);
    return status;
}

/* Copies the next member of the frame on top. Frames may move: nothing of the
 * frame is used after clone_value. */
static int step(Clone *c)
{
    Frame *frame = &c->frames[c->frame_count - 1];
    uint32_t i = frame->next++;
    JSAtom atom;
    int status;

    if (frame->entries) {
        frame->next++;
        return copy_entry(c, frame->copy, frame->entries[i], frame->entries[i + 1]);
    }
    if (frame->names)
        return copy_member(c, frame->source, frame->copy, frame->names[i].atom, JS_PROP_C_W_E);
    atom = frame->kind == PEEK_ERROR ? JS_NewAtom(c->ctx, "cause") : JS_NewAtomUInt32(c->ctx, i);
    status = copy_member(c, frame->source, frame->copy, atom,
                         frame->kind == PEEK_ERROR ? JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE
                                                   : JS_PROP_C_W_E);
    JS_FreeAtom(c->ctx, atom);
    return status;
}

static bool has_members(PeekKind kind)
{
    return kind == PEEK_PLAIN || kind == PEEK_ARRAY ||
           kind == PEEK_MAP || kind == PEEK_SET || kind == PEEK_ERROR;
}

static JSValue clone_value(Clone *c, JSValueConst value)
{
    PeekKind kind;
    JSValue copy;
    Frame *frame;
    Pair *known;

    if (JS_IsSymbol(value))
        return refuse(c, value);
    if (!JS_IsObject(value))
        return JS_DupValue(c->ctx, value);
    if (c->memory_size) {
        known = &c->memory[slot_of(c, value)];
        if (JS_IsObject(known->source))
            return JS_DupValue(c->ctx, known->copy);
    }
    kind = peek_kind(value);
    copy = copy_shell(c, value, kind);
    if (JS_IsException(copy))
        return copy;
    if (remember(c, value, copy) == 0) {
        if (!has_members(kind))
            return copy;
        frame = push_frame(c, kind, value, copy);
        if (frame && begin_members(c, frame) == 0)
            return copy;
    }
    JS_FreeValue(c->ctx, copy);
    return JS_EXCEPTION;
}

/* --------------------------------------------------------------- transfer */

static int add_transfer(Clone *c, JSValueConst source, uint32_t i)
{
    PeekBuffer buffer = { 0 };
    bool is_buffer = JS_IsObject(source) && peek_kind(source) == PEEK_ARRAY_BUFFER;
    JSValue copy;

    if (is_buffer)
        peek_buffer(source, &buffer);
    if (!is_buffer || buffer.is_detached || buffer.is_shared) {
        JS_ThrowDOMException(c->ctx, "DataCloneError", "Value at index %u of the transfer list is "
                             "not an ArrayBuffer that can be transferred", i);
        return -1;
    }
    if (c->memory_size && JS_IsObject(c->memory[slot_of(c, source)].source)) {
        JS_ThrowDOMException(c->ctx, "DataCloneError",
                             "ArrayBuffer at index %u is a duplicate in the transfer list", i);
        return -1;
    }
    copy = peek_new_buffer(c->ctx, buffer.length, buffer.max_length);
    if (JS_IsException(copy))
        return -1;
    c->transfers[c->transfer_count].source = JS_DupValue(c->ctx, source);
    c->transfers[c->transfer_count++].copy = copy;
    return remember(c, source, copy);
}

static int take_transfers(Clone *c, JSValueConst options)
{
    JSValue list, item;
    int64_t n = 0, i;
    int status = 0;

    if (!JS_IsObject(options))
        return 0;
    list = JS_GetPropertyStr(c->ctx, options, "transfer");
    if (JS_IsUndefined(list))
        return 0;
    if (!JS_IsObject(list) || JS_GetLength(c->ctx, list, &n) < 0 || n > 65536) {
        if (!JS_HasException(c->ctx))
            JS_ThrowTypeError(c->ctx, "options.transfer is not an array of ArrayBuffers");
        status = -1;
    }
    c->transfers = status ? NULL : js_mallocz(c->ctx, (n + 1) * sizeof(Pair));
    if (!c->transfers)
        status = -1;
    for (i = 0; i < n && status == 0; i++) {
        item = JS_GetPropertyInt64(c->ctx, list, i);
        status = JS_IsException(item) ? -1 : add_transfer(c, item, i);
        JS_FreeValue(c->ctx, item);
    }
    JS_FreeValue(c->ctx, list);
    return status;
}

/* Last of all, when nothing can fail any more. */
static int finish_transfers(Clone *c)
{
    PeekBuffer from, to;
    uint32_t i;

    for (i = 0; i < c->transfer_count; i++) {
        peek_buffer(c->transfers[i].source, &from);
        peek_buffer(c->transfers[i].copy, &to);
        if (from.is_detached || from.length > to.length) {
            JS_ThrowDOMException(c->ctx, "DataCloneError",
                                 "an ArrayBuffer changed while it was being transferred");
            return -1;
        }
        memcpy(to.data, from.data, from.length);
        JS_DetachArrayBuffer(c->ctx, c->transfers[i].source);
    }
    return 0;
}

/* ----------------------------------------------------------------- global */

static void clone_free(Clone *c)
{
    uint32_t i;

    while (c->frame_count > 0)
        pop_frame(c);
    js_free(c->ctx, c->frames);
    for (i = 0; i < c->memory_size; i++) {
        if (!JS_IsObject(c->memory[i].source))
            continue;
        JS_FreeValue(c->ctx, c->memory[i].source);
        JS_FreeValue(c->ctx, c->memory[i].copy);
    }
    js_free(c->ctx, c->memory);
    for (i = 0; i < c->transfer_count; i++) {
        JS_FreeValue(c->ctx, c->transfers[i].source);
        JS_FreeValue(c->ctx, c->transfers[i].copy);
    }
    js_free(c->ctx, c->transfers);
}

static JSValue structured_clone(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv)
{
    Clone c = { .ctx = ctx };
    JSValue copy = JS_EXCEPTION;
    int status;

    if (argc < 1)
        return JS_ThrowTypeError(ctx, "structuredClone needs a value");
    status = take_transfers(&c, argc > 1 ? argv[1] : JS_UNDEFINED);
    if (status == 0)
        copy = clone_value(&c, argv[0]);
    while (!JS_IsException(copy) && c.frame_count > 0) {
        if (c.frames[c.frame_count - 1].next >= c.frames[c.frame_count - 1].count)
            pop_frame(&c);
        else if (step(&c) < 0)
            status = -1;
        if (status < 0)
            break;
    }
    if (!JS_IsException(copy) && (status < 0 || finish_transfers(&c) < 0)) {
        JS_FreeValue(ctx, copy);
        copy = JS_EXCEPTION;
    }
    clone_free(&c);
    return copy;
}

int clone_init(JSContext *ctx)
{
    return web_define_global(ctx, "structuredClone",
                             JS_NewCFunction(ctx, structured_clone, "structuredClone", 1));
}
