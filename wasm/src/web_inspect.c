/* See web_inspect.h. */
#include "web_inspect.h"

#include <stdlib.h>

#include "web_layout.h"
#include "web_peek.h"
#include "web_url.h"

#define MAX_STRING 10000
#define MAX_KEY 200
#define MAX_ITEMS 100
#define MAX_SEEN 16
#define PROPERTY_POOL 512
#define HOLE_SCAN 10000
#define BIGINT_BITS 4096

typedef struct Seen {
    const void *object;
    int reference;
} Seen;

typedef struct Inspector {
    JSContext *ctx;
    Text *out;
    Layout layout;
    int max_depth;
    uint32_t max_items;
    uint32_t limit; /* length of `out` at which no more entries are added */
    int references;
    int seen_count;
    Seen seen[MAX_SEEN];
    int pooled;
    PeekProperty pool[PROPERTY_POOL];
} Inspector;

/* One formatting at a time: nothing here re-enters JavaScript. */
static Inspector inspector;
static uint16_t string_units[MAX_STRING];

static void put_value(Inspector *in, JSValueConst value, int depth);

/* ------------------------------------------------------------ primitives */

static const char *quote_for(uint32_t n)
{
    bool single = false, twice = false, tick = false;
    uint32_t i;

    for (i = 0; i < n; i++) {
        single |= string_units[i] == '\'';
        twice |= string_units[i] == '"';
        tick |= string_units[i] == '`' || string_units[i] == '$';
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

static bool is_pair(uint32_t i, uint32_t n)
{
    return i + 1 < n && (string_units[i] & 0xFC00) == 0xD800 &&
           (string_units[i + 1] & 0xFC00) == 0xDC00;
}

static void put_quoted(Inspector *in, JSValueConst string, bool may_split)
{
    uint32_t n = peek_text_copy(string, 0, string_units, MAX_STRING), i;
    const char *quote = quote_for(n);
    bool splits = may_split && in->layout.width != UINT32_MAX && n > 16 &&
                  n + in->layout.indent + 4 > in->layout.width;

    text_puts(in->out, quote);
    for (i = 0; i < n; i++) {
        if (is_pair(i, n)) {
            text_put_utf16(in->out, &string_units[i++], 2);
            continue;
        }
        put_escaped(in->out, string_units[i], *quote);
        if (splits && string_units[i] == '\n' && i + 1 < n) {
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
    text_put_string(out, symbol, MAX_KEY);
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

/* ------------------------------------------------------------------ names */

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

static bool put_atom(JSContext *ctx, Text *out, JSAtom atom)
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
        left = text_put_string(out, name, MAX_KEY);
    if (left)
        text_putf(out, "... %u more characters", left);
    JS_FreeValue(ctx, name);
    return is_symbol;
}

void inspect_key(JSContext *ctx, Text *out, JSAtom atom)
{
    put_atom(ctx, out, atom);
}

static void put_key(Inspector *in, const PeekProperty *property)
{
    Text *out = in->out;
    uint32_t start = out->length;
    JSValue name;

    if (property->is_symbol) {
        text_puts(out, "[");
        put_atom(in->ctx, out, property->atom);
        text_puts(out, "]");
        return;
    }
    put_atom(in->ctx, out, property->atom);
    if (is_plain_key(out, start))
        return;
    out->length = start;
    name = JS_AtomToString(in->ctx, property->atom);
    if (JS_IsException(name))
        JS_FreeValue(in->ctx, JS_GetException(in->ctx));
    else
        put_quoted(in, name, false);
    JS_FreeValue(in->ctx, name);
}

static bool named_constructor(Inspector *in, JSValueConst holder, JSValueConst *name)
{
    JSAtom constructor = JS_NewAtom(in->ctx, "constructor");
    JSAtom prototype = JS_NewAtom(in->ctx, "prototype");
    JSAtom own_name = JS_NewAtom(in->ctx, "name");
    PeekProperty found;
    bool ok;

    ok = peek_own(in->ctx, holder, constructor, &found) && JS_IsObject(found.value) &&
         peek_kind(found.value) == PEEK_FUNCTION;
    if (ok) {
        JSValueConst function = found.value;
        ok = peek_own(in->ctx, function, prototype, &found) && JS_IsObject(found.value) &&
             JS_VALUE_GET_PTR(found.value) == JS_VALUE_GET_PTR(holder) &&
             peek_own(in->ctx, function, own_name, &found) && JS_IsString(found.value) &&
             peek_text_length(found.value) > 0;
    }
    if (ok)
        *name = found.value;
    JS_FreeAtom(in->ctx, constructor);
    JS_FreeAtom(in->ctx, prototype);
    JS_FreeAtom(in->ctx, own_name);
    return ok;
}

/* The name of the nearest class; false when the prototype chain ends first. */
static bool class_name(Inspector *in, JSValueConst object, JSValueConst *name)
{
    int steps;

    object = peek_prototype(object);
    for (steps = 0; steps < 100 && JS_IsObject(object); steps++) {
        if (peek_kind(object) == PEEK_PROXY)
            return false;
        if (named_constructor(in, object, name))
            return true;
        object = peek_prototype(object);
    }
    return false;
}

static bool text_is(JSValueConst string, const char *expected)
{
    uint16_t units[32];
    uint32_t n = peek_text_copy(string, 0, units, 32), i;

    if (n != peek_text_length(string) || n != strlen(expected))
        return false;
    for (i = 0; i < n && units[i] == (uint8_t)expected[i]; i++)
        continue;
    return i == n;
}

static void put_tag_text(Inspector *in, JSValueConst object)
{
    JSValueConst tag;

    if (peek_kind(object) == PEEK_TYPED_ARRAY) {
        put_atom(in->ctx, in->out, peek_class_name(in->ctx, object));
        return;
    }
    tag = peek_data(in->ctx, object, peek_to_string_tag());
    if (JS_IsString(tag))
        text_put_string(in->out, tag, MAX_KEY);
}

/* " [tag]", unless the tag only repeats the class name that starts at `start`. */
static void put_tag(Inspector *in, JSValueConst object, uint32_t start, uint32_t end)
{
    Text *out = in->out;
    uint32_t before = out->length, n = end - start;

    text_puts(out, " [");
    put_tag_text(in, object);
    text_puts(out, "]");
    if (out->length == before + 3 ||
        (out->length == before + n + 3 && !memcmp(out->at + start, out->at + before + 2, n)))
        out->length = before;
}

/* "Foo(3) [tag]"; nothing for what `usual` says an ordinary one is. */
static void put_label(Inspector *in, JSValueConst object, const char *usual, int64_t size,
                      bool always)
{
    Text *out = in->out;
    uint32_t start = out->length, name_end, sized_end;
    JSValueConst name;
    char count[24] = "";

    if (size >= 0)
        snprintf(count, sizeof(count), "(%lld)", (long long)size);
    if (!class_name(in, object, &name)) {
        text_putf(out, "[%s%s: null prototype]", usual, count);
        return;
    }
    text_put_string(out, name, MAX_KEY);
    name_end = out->length;
    text_puts(out, count);
    sized_end = out->length;
    put_tag(in, object, start, name_end);
    if (!always && out->length == sized_end && text_is(name, usual))
        out->length = start;
}

/* ------------------------------------------------------------- base texts */

static void put_function(Inspector *in, JSValueConst object)
{
    JSAtom own_name = JS_NewAtom(in->ctx, "name");
    JSValueConst parent = peek_prototype(object);
    PeekFunction function;
    PeekProperty name, super;
    bool has_name;

    peek_function(object, &function);
    has_name = peek_own(in->ctx, object, own_name, &name) && JS_IsString(name.value) &&
               peek_text_length(name.value) > 0;
    text_putf(in->out, "[%s%s", function.is_class ? "class" : function.kind,
              function.is_class ? " " : has_name ? ": " : " ");
    if (has_name)
        text_put_string(in->out, name.value, MAX_KEY);
    else
        text_puts(in->out, "(anonymous)");
    if (function.is_derived_class && JS_IsObject(parent) && peek_kind(parent) != PEEK_PROXY &&
        peek_own(in->ctx, parent, own_name, &super) && JS_IsString(super.value)) {
        text_puts(in->out, " extends ");
        text_put_string(in->out, super.value, MAX_KEY);
    }
    text_puts(in->out, "]");
    JS_FreeAtom(in->ctx, own_name);
}

static void put_date(Text *out, JSValueConst object)
{
    JSValueConst inner = peek_inner(object);
    double ms = JS_VALUE_GET_NORM_TAG(inner) == JS_TAG_INT ? JS_VALUE_GET_INT(inner)
              : JS_VALUE_GET_NORM_TAG(inner) == JS_TAG_FLOAT64 ? JS_VALUE_GET_FLOAT64(inner)
                                                               : NAN;
    int64_t t, days, rest, era, day_of_era, year_of_era, day_of_year, month, year;

    if (isnan(ms)) {
        text_puts(out, "Invalid Date");
        return;
    }
    /* Days to a civil date, with years that start in March so that leap days come last. */
    t = (int64_t)ms;
    days = t / 86400000 - (t % 86400000 < 0);
    rest = t - days * 86400000;
    days += 719468;
    era = (days >= 0 ? days : days - 146096) / 146097;
    day_of_era = days - era * 146097;
    year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    month = (5 * day_of_year + 2) / 153;
    year = year_of_era + era * 400 + (month >= 10);
    if (year < 0 || year > 9999)
        text_putf(out, "%c%06d", year < 0 ? '-' : '+', abs((int)year));
    else
        text_putf(out, "%04d", (int)year);
    text_putf(out, "-%02d-%02d", (int)(month < 10 ? month + 3 : month - 9),
              (int)(day_of_year - (153 * month + 2) / 5 + 1));
    text_putf(out, "T%02d:%02d:%02d.%03dZ", (int)(rest / 3600000), (int)(rest / 60000 % 60),
              (int)(rest / 1000 % 60), (int)(rest % 1000));
}

static void put_regexp(Inspector *in, JSValueConst object)
{
    static const char letters[] = "gimsuyd\0v";
    static const char order[] = "dgimsuvy";
    int flags = 0, i, bit;
    JSValueConst source = peek_regexp(in->ctx, object, &flags);

    text_puts(in->out, "/");
    if (JS_IsString(source))
        text_put_string(in->out, source, MAX_STRING);
    text_puts(in->out, "/");
    for (i = 0; order[i]; i++) {
        for (bit = 0; bit < 9; bit++) {
            if ((flags >> bit & 1) && letters[bit] == order[i])
                text_put(in->out, &order[i], 1);
        }
    }
}

static void put_boxed(Inspector *in, JSValueConst object)
{
    JSValue name = JS_AtomToString(in->ctx, peek_class_name(in->ctx, object));
    JSValueConst inner = peek_inner(object);

    text_puts(in->out, "[");
    if (JS_IsString(name))
        text_put_string(in->out, name, MAX_KEY);
    text_puts(in->out, ": ");
    if (JS_IsString(inner))
        put_quoted(in, inner, false);
    else
        inspect_primitive(in->ctx, in->out, inner);
    text_puts(in->out, "]");
    JS_FreeValue(in->ctx, name);
}

/* ----------------------------------------------------------------- errors */

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

    if (class_name(in, error, &label))
        text_put_string(out, label, MAX_KEY);
    middle = out->length;
    if (!JS_IsString(name) || peek_text_length(name) == 0) {
        if (middle == start)
            text_puts(out, "Error");
        return;
    }
    text_put_string(out, name, MAX_KEY);
    at = out->at + start;
    if (holds(at, middle - start, at + (middle - start), out->length - middle)) {
        out->length = middle;
    } else if (holds(at + (middle - start), out->length - middle, at, middle - start)) {
        memmove(out->at + start, out->at + middle, out->length - middle);
        out->length -= middle - start;
    } else {
        out->length = middle;
        text_puts(out, " [");
        text_put_string(out, name, MAX_KEY);
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

static void put_error(Inspector *in, JSValueConst error)
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
        text_put_string(in->out, peek_dom_exception(error, false), MAX_KEY);
        text_puts(in->out, "]");
    } else {
        put_error_name(in, error);
    }
    if (JS_IsString(message) && peek_text_length(message) > 0) {
        text_puts(in->out, ": ");
        if (text_put_string(in->out, message, MAX_STRING))
            text_puts(in->out, "...");
    }
    if (JS_IsUndefined(stack)) {
        text_puts(in->out, "]");
    } else {
        text_puts(in->out, "\n");
        text_put_string(in->out, stack, MAX_STRING);
    }
    indent_from(in, start);
}

/* ---------------------------------------------------------------- entries */

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
    put_value(in, value, depth + 1);
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

    put_key(in, property);
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
    int max = PROPERTY_POOL - in->pooled, n, i;
    PeekProperty *own = in->pool + in->pooled;
    uint32_t total;
    bool is_error = kind == PEEK_ERROR || kind == PEEK_DOM_EXCEPTION;
    bool has_items = kind == PEEK_ARRAY || kind == PEEK_ARGUMENTS;

    n = peek_properties(in->ctx, object, own, max < MAX_ITEMS ? max : MAX_ITEMS, &total);
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

/* ---------------------------------------------------------------- objects */

static void put_head(Inspector *in, Group *group, JSValueConst object, PeekKind kind)
{
    PeekView view;

    group->head_alone = true;
    switch (kind) {
    case PEEK_FUNCTION:
        put_function(in, object);
        return;
    case PEEK_DATE:
        put_date(in->out, object);
        return;
    case PEEK_REGEXP:
        put_regexp(in, object);
        return;
    case PEEK_BOXED:
        put_boxed(in, object);
        return;
    case PEEK_ERROR:
    case PEEK_DOM_EXCEPTION:
        put_error(in, object);
        return;
    default:
        group->head_alone = false;
    }
    switch (kind) {
    case PEEK_ARRAY:
        put_label(in, object, "Array", peek_array_length(object), false);
        break;
    case PEEK_ARGUMENTS:
        text_puts(in->out, "[Arguments]");
        break;
    case PEEK_TYPED_ARRAY:
        peek_view(object, &view);
        put_label(in, object, "TypedArray", view.length, true);
        break;
    case PEEK_MAP:
    case PEEK_SET:
        put_label(in, object, kind == PEEK_MAP ? "Map" : "Set", peek_size(object), true);
        break;
    default:
        put_label(in, object, "Object", -1, kind != PEEK_PLAIN);
    }
}

static void put_entries(Inspector *in, Group *group, JSValueConst object, PeekKind kind,
                        int depth)
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
        put_label(in, object, "Object", -1, true);
        text_puts(in->out, "]");
        return;
    }
    if (in->seen_count == MAX_SEEN)
        return;
    seen = &in->seen[in->seen_count++];
    seen->object = JS_VALUE_GET_PTR(object);
    seen->reference = 0;
    put_head(in, &group, object, kind);
    layout_head_done(&in->layout, &group);
    if (!is_hollow(in->ctx, object, kind))
        in->layout.deepest = depth;
    if (kind == PEEK_ARRAY || kind == PEEK_ARGUMENTS || kind == PEEK_TYPED_ARRAY) {
        group.is_list = true;
        group.open = '[';
        group.close = ']';
    }
    put_entries(in, &group, object, kind, depth);
    put_properties(in, &group, object, kind, depth);
    if (kind == PEEK_ERROR)
        put_error_extras(in, object, depth);
    in->seen_count--;
    group.reference = seen->reference;
    layout_close(&in->layout, &group);
}

static void put_value(Inspector *in, JSValueConst value, int depth)
{
    int steps;

    for (steps = 0; steps < 100 && JS_IsObject(value) && peek_kind(value) == PEEK_PROXY; steps++)
        value = peek_proxy_target(value);
    if (steps && JS_IsNull(value))
        text_puts(in->out, "<Revoked Proxy>");
    else if (steps == 100)
        text_puts(in->out, "<Proxy of proxies>");
    else if (JS_IsString(value))
        put_quoted(in, value, true);
    else if (!inspect_primitive(in->ctx, in->out, value))
        put_object(in, value, depth);
}

static void start(JSContext *ctx, Text *out, int max_depth)
{
    inspector.ctx = ctx;
    inspector.out = out;
    inspector.max_depth = max_depth < INSPECT_DEPTH * 2 ? max_depth : INSPECT_DEPTH * 2;
    inspector.max_items = MAX_ITEMS;
    inspector.limit = INSPECT_BUDGET * 3 / 4; /* the rest is for what joins the entries */
    inspector.references = inspector.seen_count = inspector.pooled = 0;
    inspector.layout.out = out;
    inspector.layout.width = LAYOUT_WIDTH;
    inspector.layout.indent = 0;
    inspector.layout.count = inspector.layout.deepest = 0;
}

void inspect(JSContext *ctx, Text *out, JSValueConst value, int max_depth)
{
    start(ctx, out, max_depth);
    put_value(&inspector, value, 0);
}

void inspect_cell(JSContext *ctx, Text *out, JSValueConst value, int max_depth)
{
    start(ctx, out, max_depth);
    inspector.layout.width = UINT32_MAX;
    inspector.max_items = 3;
    put_value(&inspector, value, 0);
}
