/* What stands between an object's brackets. See web_inspector.h. */
#include "web_inspector.h"
#include "web_url.h"

#define MAX_PROPERTIES 100
#define HOLE_SCAN 10000 /* holes looked past before the rest is only counted */

static bool has_room(const Inspector *in)
{
    return in->out->length < in->limit && layout_has_room(&in->layout);
}

static void put_more(Inspector *in, Group *group, uint32_t left, const char *one,
                     const char *many)
{
    if (left == 0)
        return;
    text_putf(in->out, "... %u more %s", left, left > 1 ? many : one);
    group->has_more = true;
    layout_entry_done(&in->layout);
}

static void put_inner(Inspector *in, JSValueConst value, int depth)
{
    in->layout.indent += 2;
    inspector_put_value(in, value, depth + 1);
    in->layout.indent -= 2;
}

static void put_named(Inspector *in, const char *name, JSValueConst value, int depth)
{
    text_puts(in->out, name);
    put_inner(in, value, depth);
    layout_entry_done(&in->layout);
}

static void put_property(Inspector *in, const PeekProperty *property, int depth)
{
    static const char *const accessors[] = { "", "[Getter]", "[Setter]", "[Getter/Setter]" };

    inspector_put_key(in, property);
    text_puts(in->out, ": ");
    if (property->access == PEEK_DATA)
        put_inner(in, property->value, depth);
    else
        text_puts(in->out, accessors[property->access]);
    layout_entry_done(&in->layout);
}

static bool is_error_text(Inspector *in, const PeekProperty *property)
{
    static const char *const shown[] = { "name", "message", "stack" };
    JSAtom atom;
    int i;

    for (i = 0; i < 3; i++) {
        atom = JS_NewAtom(in->ctx, shown[i]);
        JS_FreeAtom(in->ctx, atom); /* a predefined atom: its number stays valid */
        if (atom == property->atom)
            return JS_IsString(property->value);
    }
    return false;
}

static void put_properties(Inspector *in, Group *group, JSValueConst object, PeekKind kind,
                           int depth)
{
    int max = INSPECTOR_POOL - in->pooled, n, i;
    PeekProperty *own = in->pool + in->pooled;
    uint32_t total;
    bool is_error = kind == PEEK_ERROR || kind == PEEK_DOM_EXCEPTION;
    bool has_items = kind == PEEK_ARRAY || kind == PEEK_ARGUMENTS;

    n = peek_properties(in->ctx, object, own, max < MAX_PROPERTIES ? max : MAX_PROPERTIES, &total);
    in->pooled += n;
    for (i = 0; i < n && has_room(in); i++) {
        if (has_items && own[i].index != PEEK_NO_INDEX)
            continue; /* shown among the items */
        if (is_error && is_error_text(in, &own[i]))
            continue;
        put_property(in, &own[i], depth);
    }
    in->pooled -= n;
    if (!has_items)
        put_more(in, group, total - i, "property", "properties");
}

static uint32_t skip_holes(Inspector *in, JSValueConst array, uint32_t from, uint32_t length)
{
    PeekProperty item;
    uint32_t i = from;

    while (i < length && i - from < HOLE_SCAN && !peek_item(in->ctx, array, i, &item))
        i++;
    return i;
}

static void put_items(Inspector *in, Group *group, JSValueConst array, int depth)
{
    uint32_t length = peek_array_length(array), i = 0, shown = 0, next;
    PeekProperty item;

    group->pads_left = true;
    for (; i < length && shown < in->max_items && has_room(in); shown++) {
        if (peek_item(in->ctx, array, i, &item)) {
            if (!JS_IsNumber(item.value) && !JS_IsBigInt(item.value))
                group->pads_left = false;
            if (item.access == PEEK_DATA)
                put_inner(in, item.value, depth);
            else
                text_puts(in->out, "[Getter/Setter]");
            i++;
        } else {
            next = skip_holes(in, array, i, length);
            text_putf(in->out, "<%u empty item%s>", next - i, next - i > 1 ? "s" : "");
            group->pads_left = false;
            i = next;
        }
        layout_entry_done(&in->layout);
    }
    put_more(in, group, length - i, "item", "items");
}

static void put_view_items(Inspector *in, Group *group, JSValueConst object)
{
    PeekView view;
    JSValue element;
    uint32_t i;

    peek_view(object, &view);
    group->pads_left = true;
    for (i = 0; i < view.length && i < in->max_items && has_room(in); i++) {
        element = JS_GetPropertyUint32(in->ctx, object, i);
        inspect_primitive(in->ctx, in->out, element);
        JS_FreeValue(in->ctx, element);
        layout_entry_done(&in->layout);
    }
    put_more(in, group, view.length - i, "item", "items");
}

static void put_collection(Inspector *in, Group *group, JSValueConst object, bool is_set,
                           int depth)
{
    JSValueConst key, value;
    void *cursor = NULL;
    uint32_t shown = 0;

    while (shown < in->max_items && has_room(in) && peek_entry(object, &cursor, &key, &value)) {
        put_inner(in, key, depth);
        if (!is_set) {
            text_puts(in->out, " => ");
            put_inner(in, value, depth);
        }
        layout_entry_done(&in->layout);
        shown++;
    }
    put_more(in, group, peek_size(object) - shown, "item", "items");
}

static void put_promise(Inspector *in, JSValueConst object, int depth)
{
    JSPromiseStateEnum state;
    JSValueConst result = peek_promise(object, &state);

    if (state == JS_PROMISE_PENDING) {
        text_puts(in->out, "<pending>");
        layout_entry_done(&in->layout);
        return;
    }
    put_named(in, state == JS_PROMISE_REJECTED ? "<rejected> " : "", result, depth);
}

static void put_buffer(Inspector *in, JSValueConst object)
{
    PeekBuffer buffer;
    uint32_t i, shown;

    peek_buffer(object, &buffer);
    if (buffer.is_detached) {
        text_puts(in->out, "(detached)");
        layout_entry_done(&in->layout);
    } else {
        shown = buffer.length < 50 ? buffer.length : 50;
        text_puts(in->out, "[Uint8Contents]: <");
        for (i = 0; i < shown; i++)
            text_putf(in->out, i ? " %02x" : "%02x", buffer.data[i]);
        if (buffer.length > shown)
            text_putf(in->out, " ... %u more byte%s", buffer.length - shown,
                      buffer.length - shown > 1 ? "s" : "");
        text_puts(in->out, ">");
        layout_entry_done(&in->layout);
    }
    text_putf(in->out, "byteLength: %u", buffer.length);
    layout_entry_done(&in->layout);
}

static void put_data_view(Inspector *in, JSValueConst object, int depth)
{
    PeekView view;

    peek_view(object, &view);
    text_putf(in->out, "byteLength: %u", view.length);
    layout_entry_done(&in->layout);
    text_putf(in->out, "byteOffset: %u", view.offset);
    layout_entry_done(&in->layout);
    put_named(in, "buffer: ", view.buffer, depth);
}

static void put_host(Inspector *in, JSValueConst object)
{
    UrlSpan key, value;
    uint32_t i;

    if (url_peek_href(object, &value)) {
        text_puts(in->out, "href: '");
        text_put(in->out, value.at, value.length);
        text_puts(in->out, "'");
        layout_entry_done(&in->layout);
    }
    for (i = 0; has_room(in) && url_peek_param(object, i, &key, &value); i++) {
        text_puts(in->out, "'");
        text_put(in->out, key.at, key.length);
        text_puts(in->out, "' => '");
        text_put(in->out, value.at, value.length);
        text_puts(in->out, "'");
        layout_entry_done(&in->layout);
    }
}

static void put_members(Inspector *in, Group *group, JSValueConst object, PeekKind kind, int depth)
{
    switch (kind) {
    case PEEK_ARRAY:
    case PEEK_ARGUMENTS:
        put_items(in, group, object, depth);
        break;
    case PEEK_TYPED_ARRAY:
        put_view_items(in, group, object);
        break;
    case PEEK_MAP:
    case PEEK_SET:
        put_collection(in, group, object, kind == PEEK_SET, depth);
        break;
    case PEEK_PROMISE:
        put_promise(in, object, depth);
        break;
    case PEEK_ARRAY_BUFFER:
        put_buffer(in, object);
        break;
    case PEEK_DATA_VIEW:
        put_data_view(in, object, depth);
        break;
    case PEEK_WEAK:
        text_puts(in->out, "<items unknown>");
        layout_entry_done(&in->layout);
        break;
    case PEEK_HOST:
        put_host(in, object);
        break;
    default:
        break;
    }
}

static void put_error_extras(Inspector *in, JSValueConst error, int depth)
{
    static const char *const names[] = { "cause", "errors" };
    PeekProperty extra;
    JSAtom atom;
    int i;

    for (i = 0; i < 2; i++) {
        atom = JS_NewAtom(in->ctx, names[i]);
        if (peek_own(in->ctx, error, atom, &extra) && !extra.enumerable && has_room(in)) {
            text_putf(in->out, "[%s]: ", names[i]);
            put_inner(in, extra.value, depth);
            layout_entry_done(&in->layout);
        }
        JS_FreeAtom(in->ctx, atom);
    }
}

void inspector_put_entries(Inspector *in, Group *group, JSValueConst object, PeekKind kind,
                           int depth)
{
    put_members(in, group, object, kind, depth);
    put_properties(in, group, object, kind, depth);
    if (kind == PEEK_ERROR)
        put_error_extras(in, object, depth);
}
