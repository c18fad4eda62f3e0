/* Strings, keys and primitive values as text. See web_inspector.h. */
#include "web_inspector.h"

#define BIGINT_BITS 4096 /* a larger one costs too much to write out */

static const char *quote_for(const uint16_t *units, uint32_t n)
{
    bool single = false, twice = false, tick = false;
    uint32_t i;

    for (i = 0; i < n; i++) {
        single |= units[i] == '\'';
        twice |= units[i] == '"';
        tick |= units[i] == '`' || units[i] == '$';
    }
    return !single ? "'" : !twice ? "\"" : !tick ? "`" : "'";
}

static void put_escaped(Text *out, uint16_t c, char quote)
{
    static const char letters[] = "btnvfr";

    if (c == '\\' || c == (uint8_t)quote)
        text_putf(out, "\\%c", c);
    else if (c >= 8 && c <= 13)
        text_putf(out, "\\%c", letters[c - 8]);
    else if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
        text_putf(out, "\\x%02X", c);
    else if ((c & 0xF800) == 0xD800)
        text_putf(out, "\\u%04x", c);
    else
        text_put_utf16(out, &c, 1);
}

static bool is_pair(const uint16_t *units, uint32_t i, uint32_t n)
{
    return i + 1 < n && (units[i] & 0xFC00) == 0xD800 &&
           (units[i + 1] & 0xFC00) == 0xDC00;
}

void inspector_put_quoted(Inspector *in, JSValueConst string, bool may_split)
{
    uint16_t *units = in->units;
    uint32_t n = peek_text_copy(string, 0, units, INSPECTOR_MAX_STRING), i;
    const char *quote = quote_for(units, n);
    bool splits = may_split && in->layout.width != UINT32_MAX && n > 16 &&
                  n + in->layout.indent + 4 > in->layout.width;

    text_puts(in->out, quote);
    for (i = 0; i < n; i++) {
        if (is_pair(units, i, n)) {
            text_put_utf16(in->out, &units[i++], 2);
            continue;
        }
        put_escaped(in->out, units[i], *quote);
        if (splits && units[i] == '\n' && i + 1 < n) {
            text_putf(in->out, "%s +\n", quote);
            text_fill(in->out, ' ', in->layout.indent + 2);
            text_puts(in->out, quote);
        }
    }
    text_puts(in->out, quote);
    if (peek_text_length(string) > n)
        text_putf(in->out, "... %u more characters", peek_text_length(string) - n);
}

static void put_symbol(Text *out, JSValueConst symbol)
{
    text_puts(out, "Symbol(");
    text_put_string(out, symbol, INSPECTOR_MAX_NAME);
    text_puts(out, ")");
}

static void put_number(JSContext *ctx, Text *out, JSValueConst value)
{
    const char *digits;
    size_t n;

    if (JS_IsBigInt(value) && peek_bigint_bits(value) > BIGINT_BITS) {
        text_putf(out, "<BigInt of about %u bits>", peek_bigint_bits(value));
        return;
    }
    if (JS_VALUE_GET_NORM_TAG(value) == JS_TAG_FLOAT64 && JS_VALUE_GET_FLOAT64(value) == 0 &&
        signbit(JS_VALUE_GET_FLOAT64(value)))
        text_puts(out, "-");
    digits = JS_ToCStringLen(ctx, &n, value);
    if (!digits) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        text_puts(out, "<out of memory>");
        return;
    }
    text_put(out, digits, n);
    JS_FreeCString(ctx, digits);
    if (JS_IsBigInt(value))
        text_puts(out, "n");
}

static void put_raw_string(Text *out, JSValueConst string)
{
    uint32_t room = out->length < INSPECT_BUDGET ? INSPECT_BUDGET - out->length : 0, left;
    Text window = { out->at + out->length, 0, room, false };

    if (room > out->capacity - out->length)
        window.capacity = out->capacity - out->length;
    left = text_put_string(&window, string, UINT32_MAX);
    out->length += window.length;
    if (left)
        text_putf(out, "... %u more characters", left);
}

bool inspect_primitive(JSContext *ctx, Text *out, JSValueConst value)
{
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        put_raw_string(out, value);
        return true;
    case JS_TAG_SYMBOL:
        put_symbol(out, value);
        return true;
    case JS_TAG_BOOL:
        text_puts(out, JS_VALUE_GET_BOOL(value) ? "true" : "false");
        return true;
    case JS_TAG_NULL:
        text_puts(out, "null");
        return true;
    case JS_TAG_INT:
    case JS_TAG_FLOAT64:
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT:
        put_number(ctx, out, value);
        return true;
    case JS_TAG_OBJECT:
        return false;
    default:
        text_puts(out, "undefined");
        return true;
    }
}

static bool is_plain_key(const Text *out, uint32_t start)
{
    uint32_t i;
    char c;

    for (i = start; i < out->length; i++) {
        c = out->at[i];
        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (i > start && c >= '0' && c <= '9')))
            return false;
    }
    return out->length > start;
}

bool inspector_put_atom(JSContext *ctx, Text *out, JSAtom atom)
{
    JSValue name = JS_AtomToValue(ctx, atom);
    bool is_symbol = JS_IsSymbol(name);
    uint32_t left = 0;

    if (JS_IsException(name)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return false;
    }
    if (is_symbol)
        put_symbol(out, name);
    else
        left = text_put_string(out, name, INSPECTOR_MAX_NAME);
    if (left)
        text_putf(out, "... %u more characters", left);
    JS_FreeValue(ctx, name);
    return is_symbol;
}

void inspect_key(JSContext *ctx, Text *out, JSAtom atom)
{
    inspector_put_atom(ctx, out, atom);
}

void inspector_put_key(Inspector *in, const PeekProperty *property)
{
    Text *out = in->out;
    uint32_t start = out->length;
    JSValue name;

    if (property->is_symbol) {
        text_puts(out, "[");
        inspector_put_atom(in->ctx, out, property->atom);
        text_puts(out, "]");
        return;
    }
    inspector_put_atom(in->ctx, out, property->atom);
    if (is_plain_key(out, start))
        return;
    out->length = start;
    name = JS_AtomToString(in->ctx, property->atom);
    if (JS_IsException(name))
        JS_FreeValue(in->ctx, JS_GetException(in->ctx));
    else
        inspector_put_quoted(in, name, false);
    JS_FreeValue(in->ctx, name);
}
