/* An error as text: what its class and `name` say together, message, stack. See web_inspector.h. */
#include "web_inspector.h"

static JSValueConst error_field(Inspector *in, JSValueConst error, const char *field)
{
    JSAtom atom = JS_NewAtom(in->ctx, field);
    JSValueConst value = peek_data(in->ctx, error, atom);

    JS_FreeAtom(in->ctx, atom);
    return value;
}

static bool holds(const char *hay, uint32_t hay_n, const char *needle, uint32_t needle_n)
{
    uint32_t i;

    for (i = 0; i + needle_n <= hay_n; i++) {
        if (!memcmp(hay + i, needle, needle_n))
            return true;
    }
    return false;
}

/* The class and the `name` as one: whichever holds the other, else both. */
static void put_error_name(Inspector *in, JSValueConst error)
{
    Text *out = in->out;
    JSValueConst label, name = error_field(in, error, "name");
    uint32_t start = out->length, middle;
    const char *at;

    if (inspector_class_name(in, error, &label))
        text_put_string(out, label, INSPECTOR_MAX_NAME);
    middle = out->length;
    if (!JS_IsString(name) || peek_text_length(name) == 0) {
        if (middle == start)
            text_puts(out, "Error");
        return;
    }
    text_put_string(out, name, INSPECTOR_MAX_NAME);
    at = out->at + start;
    if (holds(at, middle - start, at + (middle - start), out->length - middle)) {
        out->length = middle;
    } else if (holds(at + (middle - start), out->length - middle, at, middle - start)) {
        memmove(out->at + start, out->at + middle, out->length - middle);
        out->length -= middle - start;
    } else {
        out->length = middle;
        text_puts(out, " [");
        text_put_string(out, name, INSPECTOR_MAX_NAME);
        text_puts(out, "]");
    }
}

/* Indents the lines after the first, and drops a trailing newline. */
static void indent_from(Inspector *in, uint32_t start)
{
    Text *out = in->out;
    uint32_t tail, i;

    while (out->length > start && out->at[out->length - 1] == '\n')
        out->length--;
    if (in->layout.indent == 0)
        return;
    tail = out->length;
    for (i = start; i < tail; i++) {
        text_put(out, &out->at[i], 1);
        if (out->at[i] == '\n')
            text_fill(out, ' ', in->layout.indent);
    }
    memmove(out->at + start, out->at + tail, out->length - tail);
    out->length -= tail - start;
}

void inspector_put_error(Inspector *in, JSValueConst error)
{
    bool is_dom = peek_kind(error) == PEEK_DOM_EXCEPTION;
    JSValueConst message = is_dom ? peek_dom_exception(error, true)
                                  : error_field(in, error, "message");
    JSValueConst stack = error_field(in, error, "stack");
    uint32_t start = in->out->length;

    if (!JS_IsString(stack) && !is_dom)
        stack = peek_inner(error);
    if (!JS_IsString(stack) || peek_text_length(stack) == 0 || in->layout.width == UINT32_MAX)
        stack = JS_UNDEFINED;
    if (JS_IsUndefined(stack))
        text_puts(in->out, "[");
    if (is_dom) {
        text_puts(in->out, "DOMException [");
        text_put_string(in->out, peek_dom_exception(error, false), INSPECTOR_MAX_NAME);
        text_puts(in->out, "]");
    } else {
        put_error_name(in, error);
    }
    if (JS_IsString(message) && peek_text_length(message) > 0) {
        text_puts(in->out, ": ");
        if (text_put_string(in->out, message, INSPECTOR_MAX_STRING))
            text_puts(in->out, "...");
    }
    if (JS_IsUndefined(stack)) {
        text_puts(in->out, "]");
    } else {
        text_puts(in->out, "\n");
        text_put_string(in->out, stack, INSPECTOR_MAX_STRING);
    }
    indent_from(in, start);
}
