/* See web_inspect.h. One formatting at a time: nothing here re-enters JavaScript. */
#include "web_inspector.h"

#define MAX_ITEMS 100
#define MAX_CELL_ITEMS 3

/* Made at the first use: static memory would be part of every cell. */
static Inspector *inspector;

static bool put_if_seen(Inspector *in, JSValueConst object)
{
    int i;

    for (i = 0; i < in->seen_count; i++) {
        if (in->seen[i].object != JS_VALUE_GET_PTR(object))
            continue;
        if (!in->seen[i].reference)
            in->seen[i].reference = ++in->references;
        text_putf(in->out, "[Circular *%d]", in->seen[i].reference);
        return true;
    }
    return false;
}

static bool is_hollow(JSContext *ctx, JSValueConst object, PeekKind kind)
{
    PeekView view = { .length = 1 };
    PeekProperty any;
    uint32_t total;

    if (kind == PEEK_ARRAY && peek_array_length(object) > 0)
        return false;
    if ((kind == PEEK_MAP || kind == PEEK_SET) && peek_size(object) > 0)
        return false;
    if (kind == PEEK_TYPED_ARRAY)
        peek_view(object, &view);
    if (kind >= PEEK_ARRAY_BUFFER && kind != PEEK_MAP && kind != PEEK_SET && view.length > 0)
        return false;
    peek_properties(ctx, object, &any, 1, &total);
    return total == 0;
}

static void put_object(Inspector *in, JSValueConst object, int depth)
{
    PeekKind kind = peek_kind(object);
    Group group;
    Seen *seen;

    if (put_if_seen(in, object))
        return;
    layout_open(&in->layout, &group, depth);
    if (depth > in->max_depth && !is_hollow(in->ctx, object, kind)) {
        text_puts(in->out, "[");
        inspector_put_label(in, object, "Object", -1, true);
        text_puts(in->out, "]");
        return;
    }
    if (in->seen_count == INSPECTOR_MAX_SEEN)
        return;
    seen = &in->seen[in->seen_count++];
    seen->object = JS_VALUE_GET_PTR(object);
    seen->reference = 0;
    inspector_put_head(in, &group, object, kind);
    layout_head_done(&in->layout, &group);
    if (!is_hollow(in->ctx, object, kind))
        in->layout.deepest = depth;
    if (kind == PEEK_ARRAY || kind == PEEK_ARGUMENTS || kind == PEEK_TYPED_ARRAY) {
        group.is_list = true;
        group.open = '[';
        group.close = ']';
    }
    inspector_put_entries(in, &group, object, kind, depth);
    in->seen_count--;
    group.reference = seen->reference;
    layout_close(&in->layout, &group);
}

void inspector_put_value(Inspector *in, JSValueConst value, int depth)
{
    int steps;

    for (steps = 0; steps < 100 && JS_IsObject(value) && peek_kind(value) == PEEK_PROXY; steps++)
        value = peek_proxy_target(value);
    if (steps && JS_IsNull(value))
        text_puts(in->out, "<Revoked Proxy>");
    else if (steps == 100)
        text_puts(in->out, "<Proxy of proxies>");
    else if (JS_IsString(value))
        inspector_put_quoted(in, value, true);
    else if (!inspect_primitive(in->ctx, in->out, value))
        put_object(in, value, depth);
}

static bool start(JSContext *ctx, Text *out, int max_depth, uint32_t width, uint32_t max_items)
{
    if (!inspector)
        inspector = js_malloc(ctx, sizeof(*inspector));
    if (!inspector) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return false;
    }
    inspector->ctx = ctx;
    inspector->out = out;
    inspector->max_depth = max_depth < INSPECT_DEPTH * 2 ? max_depth : INSPECT_DEPTH * 2;
    inspector->max_items = max_items;
    inspector->limit = INSPECT_BUDGET * 3 / 4; /* the rest is for what joins the entries */
    inspector->references = inspector->seen_count = inspector->pooled = 0;
    inspector->layout.out = out;
    inspector->layout.width = width;
    inspector->layout.indent = 0;
    inspector->layout.count = inspector->layout.deepest = 0;
    return true;
}

void inspect(JSContext *ctx, Text *out, JSValueConst value, int max_depth)
{
    if (start(ctx, out, max_depth, LAYOUT_WIDTH, MAX_ITEMS))
        inspector_put_value(inspector, value, 0);
}

void inspect_cell(JSContext *ctx, Text *out, JSValueConst value, int max_depth)
{
    if (start(ctx, out, max_depth, UINT32_MAX, MAX_CELL_ITEMS))
        inspector_put_value(inspector, value, 0);
}
