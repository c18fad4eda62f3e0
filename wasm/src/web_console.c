/* The console object. A line is formatted into one buffer, cut to a bound, and
 * handed to cell_log. No method throws, and none runs the program's code except
 * JSON.stringify for %j, which is done before the buffer is in use.
 *
 * What the console needs is allocated at its first use: static memory would be
 * part of every cell.
 */
#include <ctype.h>

#include "web.h"
#include "web_class.h"
#include "web_inspect.h"
#include "web_peek.h"
#include "web_table.h"

#define MAX_TEMPLATE 1024 /* on the stack, because %j may come back here */
#define LINE_SLACK 960 /* brackets and counts of what was left out, after a full line */
#define MAX_JSON 16
#define MAX_LABELS 64
#define MAX_LABEL 96
#define MAX_GROUP_INDENT 40

typedef struct Label {
    char name[MAX_LABEL];
    uint32_t count;
    double started; /* cell_clock_ms, or -1 */
} Label;

static Text line;
static uint32_t group_indent;
static Label *labels;
static int label_count;

/* ---------------------------------------------------------------- writing */

static void indent_lines(void)
{
    uint32_t tail = line.length, i;

    if (group_indent == 0)
        return;
    text_fill(&line, ' ', group_indent);
    for (i = 0; i < tail; i++) {
        text_put(&line, &line.at[i], 1);
        if (line.at[i] == '\n')
            text_fill(&line, ' ', group_indent);
    }
    line.length -= tail;
    memmove(line.at, line.at + tail, line.length);
}

static uint32_t cut_line(void)
{
    uint32_t length = line.length;

    text_cut(&line, INSPECT_BUDGET + LINE_SLACK);
    return length - line.length;
}

static void emit(int level)
{
    uint32_t left = cut_line();

    indent_lines();
    left += cut_line();
    if (left)
        text_putf(&line, "... %u more bytes", left);
    cell_log(level, line.at, line.length);
    line.length = 0;
    line.overflowed = false;
}

/* Each method starts here. Without memory the line stays empty. */
static void open_line(JSContext *ctx)
{
    if (line.at)
        return;
    line.at = js_malloc(ctx, INSPECT_ARENA);
    if (line.at)
        line.capacity = INSPECT_ARENA;
    else
        JS_FreeValue(ctx, JS_GetException(ctx));
}

static void put_argument(JSContext *ctx, JSValueConst value)
{
    if (!inspect_primitive(ctx, &line, value))
        inspect(ctx, &line, value, INSPECT_DEPTH);
}

/* ------------------------------------------------------ format templates */

static void put_double(JSContext *ctx, double d)
{
    inspect_primitive(ctx, &line, JS_NewNumber(ctx, d));
}

static double number_of(JSContext *ctx, JSValueConst value)
{
    double d = NAN;

    if (JS_IsObject(value)) {
        PeekKind kind = peek_kind(value);
        if (kind != PEEK_DATE && kind != PEEK_BOXED)
            return NAN;
        value = peek_inner(value);
    }
    if (JS_IsSymbol(value) || JS_IsObject(value) || JS_IsBigInt(value))
        return NAN;
    if (JS_ToFloat64(ctx, &d, value))
        JS_FreeValue(ctx, JS_GetException(ctx));
    return d;
}

/* parseInt and parseFloat of the start of a string. */
static double leading_number(JSContext *ctx, JSValueConst string, bool whole)
{
    const char *allowed = whole ? "+-0123456789" : "+-0123456789.eE";
    uint16_t units[64];
    char text[64];
    uint32_t n = peek_text_copy(string, 0, units, 64), from = 0, end;
    double d = NAN;

    while (from < n && units[from] < 0x80 && isspace(units[from]))
        from++;
    for (end = from; end < n && units[end] && units[end] < 0x80 && strchr(allowed, units[end]); end++)
        text[end - from] = (char)units[end];
    for (; end > from && isnan(d); end--) { /* "1.5e" still starts with a number */
        JSValue digits = JS_NewStringLen(ctx, text, end - from);
        if (JS_ToFloat64(ctx, &d, digits))
            JS_FreeValue(ctx, JS_GetException(ctx));
        JS_FreeValue(ctx, digits);
    }
    return d;
}

static void put_number_argument(JSContext *ctx, JSValueConst value, char spec)
{
    double d;

    if (JS_IsBigInt(value)) {
        inspect_primitive(ctx, &line, value);
        return;
    }
    if (spec != 'd' && JS_IsString(value))
        d = leading_number(ctx, value, spec == 'i');
    else
        d = number_of(ctx, value);
    put_double(ctx, spec == 'i' ? trunc(d) : d);
}

static void put_spec(JSContext *ctx, char spec, JSValueConst value, JSValueConst json)
{
    switch (spec) {
    case 's':
        if (!inspect_primitive(ctx, &line, value))
            inspect(ctx, &line, value, 0);
        break;
    case 'd':
    case 'i':
    case 'f':
        put_number_argument(ctx, value, spec);
        break;
    case 'j':
        if (JS_IsString(json))
            inspect_primitive(ctx, &line, json);
        else
            put_argument(ctx, value);
        break;
    case 'o':
    case 'O':
        inspect(ctx, &line, value, INSPECT_DEPTH);
        break;
    default: /* 'c': a style, not text */
        break;
    }
}

static bool is_spec(uint16_t c)
{
    return c < 0x80 && c && strchr("sdifjoOc", (char)c);
}

/* The JSON of each %j argument: the one step that can run the program's code. */
static void stringify_arguments(JSContext *ctx, const uint16_t *units, uint32_t n, int argc,
                                JSValueConst *argv, JSValue *json)
{
    uint32_t i;
    int arg = 1;

    for (i = 0; i + 1 < n && arg < argc && arg < MAX_JSON; i++) {
        if (units[i] != '%')
            continue;
        i++;
        if (units[i] == 'j') {
            json[arg] = JS_JSONStringify(ctx, argv[arg], JS_UNDEFINED, JS_UNDEFINED);
            if (JS_IsException(json[arg]))
                JS_FreeValue(ctx, JS_GetException(ctx));
        }
        arg += is_spec(units[i]);
    }
}

static int put_template(JSContext *ctx, const uint16_t *units, uint32_t n, int argc,
                        JSValueConst *argv, JSValue *json)
{
    uint32_t i, from = 0;
    int arg = 1;

    for (i = 0; i + 1 < n; i++) {
        if (units[i] != '%' || !(units[i + 1] == '%' || (is_spec(units[i + 1]) && arg < argc)))
            continue;
        text_put_utf16(&line, units + from, i - from);
        if (units[i + 1] == '%') {
            text_puts(&line, "%");
        } else {
            put_spec(ctx, (char)units[i + 1], argv[arg], arg < MAX_JSON ? json[arg] : JS_UNDEFINED);
            arg++;
        }
        from = ++i + 1;
    }
    text_put_utf16(&line, units + from, n - from);
    return arg;
}

static int put_first(JSContext *ctx, int argc, JSValueConst *argv)
{
    uint16_t units[MAX_TEMPLATE];
    JSValue json[MAX_JSON];
    uint32_t n;
    int i, used;

    if (argc < 2 || !JS_IsString(argv[0]) || peek_text_length(argv[0]) > MAX_TEMPLATE) {
        put_argument(ctx, argv[0]);
        return 1;
    }
    for (i = 0; i < MAX_JSON; i++)
        json[i] = JS_UNDEFINED;
    n = peek_text_copy(argv[0], 0, units, MAX_TEMPLATE);
    stringify_arguments(ctx, units, n, argc, argv, json);
    used = put_template(ctx, units, n, argc, argv, json);
    for (i = 0; i < MAX_JSON; i++)
        JS_FreeValue(ctx, json[i]);
    return used;
}

static void put_arguments(JSContext *ctx, int argc, JSValueConst *argv)
{
    int i;

    if (argc < 1)
        return;
    for (i = put_first(ctx, argc, argv); i < argc; i++) {
        text_puts(&line, " ");
        put_argument(ctx, argv[i]);
    }
}

/* ---------------------------------------------------------------- methods */

static JSValue console_write(JSContext *ctx, JSValueConst this_val, int argc,
                             JSValueConst *argv, int level)
{
    open_line(ctx);
    put_arguments(ctx, argc, argv);
    emit(level);
    return JS_UNDEFINED;
}

static void drop_line(uint32_t start)
{
    uint32_t end = start;

    while (end < line.length && line.at[end] != '\n')
        end++;
    end += end < line.length;
    memmove(line.at + start, line.at + end, line.length - end);
    line.length -= end - start;
}

static JSValue console_trace(JSContext *ctx, JSValueConst this_val, int argc,
                             JSValueConst *argv)
{
    JSValue stack = peek_backtrace(ctx);
    uint32_t start;

    open_line(ctx);
    text_puts(&line, argc > 0 ? "Trace: " : "Trace");
    put_arguments(ctx, argc, argv);
    text_puts(&line, "\n");
    start = line.length;
    text_put_string(&line, stack, INSPECT_BUDGET);
    drop_line(start); /* the frame of console.trace itself */
    while (line.length && line.at[line.length - 1] == '\n')
        line.length--;
    JS_FreeValue(ctx, stack);
    emit(WEB_DEBUG);
    return JS_UNDEFINED;
}

static JSValue console_dir(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    int depth = INSPECT_DEPTH;
    JSAtom atom = JS_NewAtom(ctx, "depth");
    JSValueConst wanted = JS_UNDEFINED;

    if (argc > 1 && JS_IsObject(argv[1]) && peek_kind(argv[1]) != PEEK_PROXY)
        wanted = peek_data(ctx, argv[1], atom);
    if (JS_VALUE_GET_NORM_TAG(wanted) == JS_TAG_INT && JS_VALUE_GET_INT(wanted) >= 0)
        depth = JS_VALUE_GET_INT(wanted);
    else if (JS_IsNull(wanted) || JS_IsNumber(wanted))
        depth = INSPECT_DEPTH * 2;
    JS_FreeAtom(ctx, atom);
    open_line(ctx);
    inspect(ctx, &line, argc > 0 ? argv[0] : JS_UNDEFINED, depth);
    emit(WEB_LOG);
    return JS_UNDEFINED;
}

static JSValue console_assert(JSContext *ctx, JSValueConst this_val, int argc,
                              JSValueConst *argv)
{
    if (argc > 0 && JS_ToBool(ctx, argv[0]))
        return JS_UNDEFINED;
    open_line(ctx);
    text_puts(&line, argc > 1 ? "Assertion failed: " : "Assertion failed");
    put_arguments(ctx, argc - 1, argv + 1);
    emit(WEB_ERROR);
    return JS_UNDEFINED;
}

static JSValue console_group(JSContext *ctx, JSValueConst this_val, int argc,
                             JSValueConst *argv)
{
    if (argc > 0) {
        open_line(ctx);
        put_arguments(ctx, argc, argv);
        emit(WEB_LOG);
    }
    if (group_indent < MAX_GROUP_INDENT)
        group_indent += 2;
    return JS_UNDEFINED;
}

static JSValue console_group_end(JSContext *ctx, JSValueConst this_val, int argc,
                                 JSValueConst *argv)
{
    group_indent -= group_indent ? 2 : 0;
    return JS_UNDEFINED;
}

static JSValue console_show_table(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv)
{
    JSValueConst data = argc > 0 ? argv[0] : JS_UNDEFINED;

    open_line(ctx);
    if (!table_put(ctx, &line, data, argc > 1 ? argv[1] : JS_UNDEFINED))
        put_arguments(ctx, argc < 1 ? argc : 1, argv);
    emit(WEB_LOG);
    return JS_UNDEFINED;
}

/* ------------------------------------------------------ counts and timers */

static void label_name(JSContext *ctx, int argc, JSValueConst *argv, char *name)
{
    Text text = { name, 0, MAX_LABEL - 1, false };

    if (argc < 1 || JS_IsUndefined(argv[0]))
        text_puts(&text, "default");
    else if (!inspect_primitive(ctx, &text, argv[0]))
        text_puts(&text, "[object]");
    text_cut(&text, MAX_LABEL - 1);
    name[text.length] = 0;
}

/* The label's row, made when missing; NULL when there are too many or no memory. */
static Label *label_find(JSContext *ctx, int argc, JSValueConst *argv)
{
    char name[MAX_LABEL];
    int i;

    open_line(ctx);
    if (!labels)
        labels = js_malloc(ctx, MAX_LABELS * sizeof(Label));
    if (!labels) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return NULL;
    }
    label_name(ctx, argc, argv, name);
    for (i = 0; i < label_count; i++) {
        if (!strcmp(labels[i].name, name))
            return &labels[i];
    }
    if (label_count == MAX_LABELS)
        return NULL;
    memcpy(labels[label_count].name, name, sizeof(name));
    labels[label_count].count = 0;
    labels[label_count].started = -1;
    return &labels[label_count++];
}

static JSValue console_count(JSContext *ctx, JSValueConst this_val, int argc,
                             JSValueConst *argv, int is_reset)
{
    Label *label = label_find(ctx, argc, argv);

    if (!label)
        return JS_UNDEFINED;
    if (is_reset) {
        label->count = 0;
        return JS_UNDEFINED;
    }
    text_puts(&line, label->name);
    text_putf(&line, ": %u", ++label->count);
    emit(WEB_LOG);
    return JS_UNDEFINED;
}

static void put_elapsed(const Label *label)
{
    double ms = cell_clock_ms() - label->started;

    text_puts(&line, label->name);
    if (ms < 1000)
        text_putf(&line, ": %.0fms", ms);
    else
        text_putf(&line, ": %.3fs", ms / 1000);
}

enum { TIMER_START, TIMER_LOG, TIMER_END };

static JSValue console_time(JSContext *ctx, JSValueConst this_val, int argc,
                            JSValueConst *argv, int action)
{
    Label *label = label_find(ctx, argc, argv);
    int i;

    if (!label)
        return JS_UNDEFINED;
    if (action == TIMER_START) {
        label->started = cell_clock_ms();
        return JS_UNDEFINED;
    }
    if (label->started < 0) {
        text_puts(&line, "No timer '");
        text_puts(&line, label->name);
        text_puts(&line, "': start it with console.time");
        emit(WEB_WARN);
        return JS_UNDEFINED;
    }
    put_elapsed(label);
    for (i = 1; i < argc && action == TIMER_LOG; i++) {
        text_puts(&line, " ");
        put_argument(ctx, argv[i]);
    }
    emit(WEB_LOG);
    if (action == TIMER_END)
        label->started = -1;
    return JS_UNDEFINED;
}

#define METHOD(name, fn, magic)                                                              \
    { name, JS_PROP_C_W_E, JS_DEF_CFUNC, magic,                                              \
      { .func = { 0, JS_CFUNC_generic_magic, { .generic_magic = fn } } } }

static const JSCFunctionListEntry console_methods[] = {
    METHOD("log", console_write, WEB_LOG),
    METHOD("info", console_write, WEB_INFO),
    METHOD("warn", console_write, WEB_WARN),
    METHOD("error", console_write, WEB_ERROR),
    METHOD("debug", console_write, WEB_DEBUG),
    JS_CFUNC_DEF2("trace", 0, console_trace, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("table", 1, console_show_table, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("dir", 0, console_dir, JS_PROP_C_W_E),
    METHOD("dirxml", console_write, WEB_LOG),
    JS_CFUNC_DEF2("assert", 0, console_assert, JS_PROP_C_W_E),
    METHOD("count", console_count, false),
    METHOD("countReset", console_count, true),
    JS_CFUNC_DEF2("group", 0, console_group, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("groupCollapsed", 0, console_group, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("groupEnd", 0, console_group_end, JS_PROP_C_W_E),
    METHOD("time", console_time, TIMER_START),
    METHOD("timeLog", console_time, TIMER_LOG),
    METHOD("timeEnd", console_time, TIMER_END),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "console", JS_PROP_CONFIGURABLE),
};

int console_init(JSContext *ctx)
{
    JSValue console = JS_NewObject(ctx);

    if (JS_SetPropertyFunctionList(ctx, console, console_methods, WEB_COUNT(console_methods)) < 0)
        return -1;
    return web_define_global(ctx, "console", console);
}
