/* What an object is called, and the text that stands before its entries. See web_inspector.h. */
#include <stdlib.h>

#include "web_inspector.h"

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

bool inspector_class_name(Inspector *in, JSValueConst object, JSValueConst *name)
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
        inspector_put_atom(in->ctx, in->out, peek_class_name(in->ctx, object));
        return;
    }
    tag = peek_data(in->ctx, object, peek_to_string_tag());
    if (JS_IsString(tag))
        text_put_string(in->out, tag, INSPECTOR_MAX_NAME);
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
void inspector_put_label(Inspector *in, JSValueConst object, const char *usual, int64_t size,
                      bool always)
{
    Text *out = in->out;
    uint32_t start = out->length, name_end, sized_end;
    JSValueConst name;
    char count[24] = "";

    if (size >= 0)
        snprintf(count, sizeof(count), "(%lld)", (long long)size);
    if (!inspector_class_name(in, object, &name)) {
        text_putf(out, "[%s%s: null prototype]", usual, count);
        return;
    }
    text_put_string(out, name, INSPECTOR_MAX_NAME);
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
        text_put_string(in->out, name.value, INSPECTOR_MAX_NAME);
    else
        text_puts(in->out, "(anonymous)");
    if (function.is_derived_class && JS_IsObject(parent) && peek_kind(parent) != PEEK_PROXY &&
        peek_own(in->ctx, parent, own_name, &super) && JS_IsString(super.value)) {
        text_puts(in->out, " extends ");
        text_put_string(in->out, super.value, INSPECTOR_MAX_NAME);
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
        text_put_string(in->out, source, INSPECTOR_MAX_STRING);
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
        text_put_string(in->out, name, INSPECTOR_MAX_NAME);
    text_puts(in->out, ": ");
    if (JS_IsString(inner))
        inspector_put_quoted(in, inner, false);
    else
        inspect_primitive(in->ctx, in->out, inner);
    text_puts(in->out, "]");
    JS_FreeValue(in->ctx, name);
}

void inspector_put_head(Inspector *in, Group *group, JSValueConst object, PeekKind kind)
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
        inspector_put_error(in, object);
        return;
    default:
        group->head_alone = false;
    }
    switch (kind) {
    case PEEK_ARRAY:
        inspector_put_label(in, object, "Array", peek_array_length(object), false);
        break;
    case PEEK_ARGUMENTS:
        text_puts(in->out, "[Arguments]");
        break;
    case PEEK_TYPED_ARRAY:
        peek_view(object, &view);
        inspector_put_label(in, object, "TypedArray", view.length, true);
        break;
    case PEEK_MAP:
    case PEEK_SET:
        inspector_put_label(in, object, kind == PEEK_MAP ? "Map" : "Set", peek_size(object), true);
        break;
    default:
        inspector_put_label(in, object, "Object", -1, kind != PEEK_PLAIN);
    }
}

