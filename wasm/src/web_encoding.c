/* TextEncoder and TextDecoder (WHATWG Encoding): UTF-8, UTF-16LE, UTF-16BE and
 * windows-1252 under all their labels. Other encodings are refused by name.
 *
 * A decoder's pending bytes are its only state. Decoding writes UTF-16 into one
 * buffer that is sized from the input, so nothing is reallocated on the way.
 */
#include <ctype.h>

#include "web.h"
#include "web_class.h"
#include "web_peek.h"

typedef enum Encoding { UTF_8, UTF_16LE, UTF_16BE, WINDOWS_1252, UNKNOWN_ENCODING } Encoding;

static const char *const encoding_names[] = { "utf-8", "utf-16le", "utf-16be", "windows-1252" };

/* Labels of the WHATWG table, a row per encoding in the order of the enum. */
static const char *const encoding_labels[] = {
    " utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 ",
    " utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff ",
    " utf-16be unicodefffe ",
    " windows-1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100"
    " iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252 ",
};

static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
};

typedef struct Decoder {
    uint8_t encoding;
    bool fatal, ignore_bom;
    bool bom_seen;  /* the start of the stream has been dealt with */
    bool streaming; /* the last call left the stream open */
    uint8_t pending[4];
    uint8_t pending_count;
    uint16_t lead; /* UTF-16: a high surrogate that waits for its other half */
} Decoder;

static JSClassID encoder_class, decoder_class;

/* ------------------------------------------------------------------ bytes */

/* The bytes of an ArrayBuffer or a view of one; false with an exception. */
static bool source_bytes(JSContext *ctx, JSValueConst source, const uint8_t **at, size_t *n)
{
    JSValueConst buffer = source;
    PeekKind kind = JS_IsObject(source) ? peek_kind(source) : PEEK_PLAIN;
    PeekView view = { 0 };
    PeekBuffer data;

    *at = NULL;
    *n = 0;
    if (JS_IsUndefined(source))
        return true;
    if (kind == PEEK_TYPED_ARRAY || kind == PEEK_DATA_VIEW) {
        peek_view(source, &view);
        buffer = view.buffer;
    } else if (kind != PEEK_ARRAY_BUFFER) {
        JS_ThrowTypeError(ctx, "the argument is not an ArrayBuffer or a view of one");
        return false;
    }
    peek_buffer(buffer, &data);
    *n = kind == PEEK_ARRAY_BUFFER ? data.length : (size_t)view.length * view.element_size;
    *at = *n ? data.data + view.offset : NULL;
    return true;
}

/* -------------------------------------------------------------- decoding */

typedef struct Sink {
    uint16_t *units;
    size_t count;
    bool fatal, failed;
} Sink;

static void put_unit(Sink *sink, uint32_t c)
{
    sink->units[sink->count++] = c;
}

static void put_point(Sink *sink, uint32_t c)
{
    if (c >= 0x10000) {
        put_unit(sink, 0xD7C0 + (c >> 10));
        c = 0xDC00 | (c & 0x3FF);
    }
    put_unit(sink, c);
}

static void put_error(Sink *sink)
{
    sink->failed |= sink->fatal;
    put_unit(sink, 0xFFFD);
}

/* The length a UTF-8 lead byte announces; 0 for a byte that cannot lead. */
static int utf8_need(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

static bool utf8_follows(uint8_t lead, int position, uint8_t byte)
{
    if (position == 1 && lead == 0xE0)
        return byte >= 0xA0 && byte <= 0xBF;
    if (position == 1 && lead == 0xED)
        return byte >= 0x80 && byte <= 0x9F;
    if (position == 1 && lead == 0xF0)
        return byte >= 0x90 && byte <= 0xBF;
    if (position == 1 && lead == 0xF4)
        return byte >= 0x80 && byte <= 0x8F;
    return (byte & 0xC0) == 0x80;
}

static void utf8_put(Sink *sink, const uint8_t *s, int n)
{
    static const uint8_t masks[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    uint32_t c = s[0] & masks[n];
    int i;

    for (i = 1; i < n; i++)
        c = c << 6 | (s[i] & 0x3F);
    put_point(sink, c);
}

/* One byte of UTF-8. A byte that ends a sequence too early is looked at again. */
static void utf8_byte(Decoder *d, Sink *sink, uint8_t byte)
{
    uint8_t *s = d->pending;

    if (d->pending_count > 0 && !utf8_follows(s[0], d->pending_count, byte)) {
        put_error(sink);
        d->pending_count = 0;
    }
    if (d->pending_count == 0 && utf8_need(byte) == 0) {
        put_error(sink);
        return;
    }
    s[d->pending_count++] = byte;
    if (d->pending_count == utf8_need(s[0])) {
        utf8_put(sink, s, d->pending_count);
        d->pending_count = 0;
    }
}

static void utf16_unit(Decoder *d, Sink *sink, uint16_t unit)
{
    uint16_t lead = d->lead;

    d->lead = 0;
    if (lead && (unit & 0xFC00) == 0xDC00) {
        put_unit(sink, lead);
        put_unit(sink, unit);
        return;
    }
    if (lead)
        put_error(sink);
    if ((unit & 0xFC00) == 0xD800)
        d->lead = unit;
    else if ((unit & 0xFC00) == 0xDC00)
        put_error(sink);
    else
        put_unit(sink, unit);
}

static void utf16_byte(Decoder *d, Sink *sink, uint8_t byte)
{
    uint8_t first = d->pending[0];

    if (d->pending_count == 0) {
        d->pending[d->pending_count++] = byte;
        return;
    }
    d->pending_count = 0;
    utf16_unit(d, sink, d->encoding == UTF_16LE ? first | byte << 8 : first << 8 | byte);
}

/* The length of the whole, valid sequence at `at`; 0 when it is not one. */
static int utf8_whole(const uint8_t *at, size_t n)
{
    int need = utf8_need(at[0]), i;

    if (need == 0 || (size_t)need > n)
        return 0;
    for (i = 1; i < need; i++) {
        if (!utf8_follows(at[0], i, at[i]))
            return 0;
    }
    return need;
}

static void decode_utf8(Decoder *d, Sink *sink, const uint8_t *at, size_t n)
{
    size_t i = 0;
    int whole;

    while (i < n && !sink->failed) {
        whole = d->pending_count ? 0 : utf8_whole(at + i, n - i);
        if (whole == 1)
            put_unit(sink, at[i]);
        else if (whole)
            utf8_put(sink, at + i, whole);
        else
            utf8_byte(d, sink, at[i]);
        i += whole ? whole : 1;
    }
}

static void decode_bytes(Decoder *d, Sink *sink, const uint8_t *at, size_t n)
{
    size_t i;

    if (d->encoding == UTF_8) {
        decode_utf8(d, sink, at, n);
        return;
    }
    for (i = 0; i < n && !sink->failed; i++) {
        if (d->encoding == WINDOWS_1252)
            put_unit(sink, at[i] >= 0x80 && at[i] < 0xA0 ? windows_1252[at[i] - 0x80] : at[i]);
        else
            utf16_byte(d, sink, at[i]);
    }
}

static void decode_end(Decoder *d, Sink *sink)
{
    if (d->pending_count || d->lead)
        put_error(sink);
    d->pending_count = 0;
    d->lead = 0;
}

/* The decoded text, without the byte order mark that starts the stream. */
static JSValue take_text(JSContext *ctx, Decoder *d, const Sink *sink)
{
    size_t skip = 0;

    if (!d->bom_seen && sink->count > 0) {
        d->bom_seen = true;
        skip = !d->ignore_bom && d->encoding != WINDOWS_1252 && sink->units[0] == 0xFEFF;
    }
    return JS_NewStringUTF16(ctx, sink->units + skip, sink->count - skip);
}

static int option_flag(JSContext *ctx, JSValueConst options, const char *name)
{
    JSValue flag;
    int on;

    if (JS_IsUndefined(options) || JS_IsNull(options))
        return 0;
    if (!JS_IsObject(options)) {
        JS_ThrowTypeError(ctx, "the options are not an object");
        return -1;
    }
    flag = JS_GetPropertyStr(ctx, options, name);
    if (JS_IsException(flag))
        return -1;
    on = JS_ToBool(ctx, flag);
    JS_FreeValue(ctx, flag);
    return on;
}

static bool is_ascii(const uint8_t *at, size_t n)
{
    size_t i;

    for (i = 0; i < n && at[i] < 0x80; i++)
        continue;
    return i == n;
}

/* Nothing to remember, nothing to replace: the bytes are the text. */
static bool is_plain(const Decoder *d, const uint8_t *at, size_t n)
{
    return (d->encoding == UTF_8 || d->encoding == WINDOWS_1252) && d->pending_count == 0 &&
           n > 0 && is_ascii(at, n);
}

static JSValue decoder_decode(JSContext *ctx, JSValueConst this_val, int argc,
                              JSValueConst *argv)
{
    Decoder *d = JS_GetOpaque2(ctx, this_val, decoder_class);
    int stream = d ? option_flag(ctx, argc > 1 ? argv[1] : JS_UNDEFINED, "stream") : -1;
    const uint8_t *at;
    JSValue text = JS_EXCEPTION;
    Sink sink = { 0 };
    size_t n;

    if (stream < 0 || !source_bytes(ctx, argc > 0 ? argv[0] : JS_UNDEFINED, &at, &n))
        return JS_EXCEPTION;
    if (!d->streaming) {
        d->pending_count = d->lead = 0;
        d->bom_seen = false;
    }
    d->streaming = stream;
    if (is_plain(d, at, n)) {
        d->bom_seen = true;
        return JS_NewStringLen(ctx, (const char *)at, n);
    }
    sink.fatal = d->fatal;
    sink.units = js_malloc(ctx, (n + 8) * sizeof(uint16_t));
    if (!sink.units)
        return JS_EXCEPTION;
    decode_bytes(d, &sink, at, n);
    if (!stream && !sink.failed)
        decode_end(d, &sink);
    if (sink.failed) {
        d->streaming = false;
        JS_ThrowTypeError(ctx, "The encoded data was not valid for encoding %s",
                          encoding_names[d->encoding]);
    } else {
        text = take_text(ctx, d, &sink);
    }
    js_free(ctx, sink.units);
    return text;
}

/* The encoding of a label, whitespace and case aside. */
static Encoding find_encoding(const char *label, size_t n)
{
    char wanted[40];
    size_t i;
    int row;

    for (; n && strchr("\t\n\f\r ", label[0]) && label[0]; n--)
        label++;
    for (; n && strchr("\t\n\f\r ", label[n - 1]) && label[n - 1]; n--)
        continue;
    if (n == 0 || n > sizeof(wanted) - 3 || memchr(label, ' ', n) || memchr(label, 0, n))
        return UNKNOWN_ENCODING;
    wanted[0] = ' ';
    for (i = 0; i < n; i++)
        wanted[i + 1] = tolower((unsigned char)label[i]);
    memcpy(wanted + n + 1, " ", 2);
    for (row = 0; row < UNKNOWN_ENCODING; row++) {
        if (strstr(encoding_labels[row], wanted))
            return row;
    }
    return UNKNOWN_ENCODING;
}

static int label_encoding(JSContext *ctx, JSValueConst label)
{
    Encoding encoding;
    const char *text;
    size_t n;

    if (JS_IsUndefined(label))
        return UTF_8;
    text = JS_ToCStringLen(ctx, &n, label);
    if (!text)
        return -1;
    encoding = find_encoding(text, n);
    if (encoding == UNKNOWN_ENCODING)
        JS_ThrowRangeError(ctx, "The \"%.40s\" encoding is not supported: use utf-8, utf-16le, "
                           "utf-16be or latin1", text);
    JS_FreeCString(ctx, text);
    return encoding == UNKNOWN_ENCODING ? -1 : (int)encoding;
}

static JSValue decoder_new(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    JSValueConst options = argc > 1 ? argv[1] : JS_UNDEFINED;
    int encoding = label_encoding(ctx, argc > 0 ? argv[0] : JS_UNDEFINED);
    int fatal = encoding < 0 ? -1 : option_flag(ctx, options, "fatal");
    int ignore_bom = fatal < 0 ? -1 : option_flag(ctx, options, "ignoreBOM");
    JSValue made;
    Decoder *d;

    if (ignore_bom < 0)
        return JS_EXCEPTION;
    made = web_instance(ctx, new_target, decoder_class);
    if (JS_IsException(made))
        return made;
    d = js_mallocz(ctx, sizeof(*d));
    if (!d) {
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    d->encoding = encoding;
    d->fatal = fatal;
    d->ignore_bom = ignore_bom;
    JS_SetOpaque(made, d);
    return made;
}

static void decoder_free(JSRuntime *rt, JSValueConst value)
{
    js_free_rt(rt, JS_GetOpaque(value, decoder_class));
}

enum { DECODER_ENCODING, DECODER_FATAL, DECODER_IGNORE_BOM };

static JSValue decoder_get(JSContext *ctx, JSValueConst this_val, int field)
{
    Decoder *d = JS_GetOpaque2(ctx, this_val, decoder_class);

    if (!d)
        return JS_EXCEPTION;
    if (field == DECODER_ENCODING)
        return JS_NewString(ctx, encoding_names[d->encoding]);
    return JS_NewBool(ctx, field == DECODER_FATAL ? d->fatal : d->ignore_bom);
}

/* -------------------------------------------------------------- encoding */

static JSValue encoder_encode(JSContext *ctx, JSValueConst this_val, int argc,
                              JSValueConst *argv)
{
    JSValueConst source = argc > 0 ? argv[0] : JS_UNDEFINED;
    const char *text;
    JSValue bytes;
    size_t n;

    if (JS_GetClassID(this_val) != encoder_class)
        return JS_ThrowTypeError(ctx, "not a TextEncoder");
    if (JS_IsUndefined(source))
        return JS_NewUint8ArrayCopy(ctx, NULL, 0);
    text = web_scalar_text(ctx, source, &n);
    if (!text)
        return JS_EXCEPTION;
    bytes = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)text, n);
    JS_FreeCString(ctx, text);
    return bytes;
}

typedef struct Progress {
    uint32_t read, written;
} Progress;

static uint32_t utf8_size(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

static void utf8_write(uint8_t *out, uint32_t c, uint32_t size)
{
    static const uint8_t leads[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    uint32_t i;

    for (i = size - 1; i > 0; i--, c >>= 6)
        out[i] = 0x80 | (c & 0x3F);
    out[0] = leads[size] | c;
}

static Progress encode_into(JSValueConst text, uint8_t *out, size_t room)
{
    uint32_t total = peek_text_length(text), c, size, n;
    Progress done = { 0, 0 };
    uint16_t pair[2];

    while (done.read < total) {
        n = peek_text_copy(text, done.read, pair, 2);
        c = pair[0];
        if (n == 2 && (c & 0xFC00) == 0xD800 && (pair[1] & 0xFC00) == 0xDC00)
            c = 0x10000 + ((c & 0x3FF) << 10) + (pair[1] & 0x3FF);
        else if ((c & 0xF800) == 0xD800)
            c = 0xFFFD;
        size = utf8_size(c);
        if (size > room - done.written)
            break;
        utf8_write(out + done.written, c, size);
        done.written += size;
        done.read += c >= 0x10000 ? 2 : 1;
    }
    return done;
}

static JSValue encoder_encode_into(JSContext *ctx, JSValueConst this_val, int argc,
                                   JSValueConst *argv)
{
    JSValue text, result;
    Progress done = { 0, 0 };
    uint8_t *at;
    size_t n;

    if (JS_GetClassID(this_val) != encoder_class)
        return JS_ThrowTypeError(ctx, "not a TextEncoder");
    if (argc < 2 || JS_GetTypedArrayType(argv[1]) != JS_TYPED_ARRAY_UINT8)
        return JS_ThrowTypeError(ctx, "encodeInto(text, destination) needs a Uint8Array");
    text = JS_ToString(ctx, argv[0]);
    if (JS_IsException(text))
        return text;
    at = JS_GetUint8Array(ctx, &n, argv[1]);
    if (at)
        done = encode_into(text, at, n);
    else
        JS_FreeValue(ctx, JS_GetException(ctx)); /* a detached destination has no room */
    JS_FreeValue(ctx, text);
    result = JS_NewObject(ctx);
    if (JS_IsException(result))
        return result;
    JS_DefinePropertyValueStr(ctx, result, "read", JS_NewUint32(ctx, done.read), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, result, "written", JS_NewUint32(ctx, done.written), JS_PROP_C_W_E);
    return result;
}

static JSValue encoder_new(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    return web_instance(ctx, new_target, encoder_class);
}

static JSValue encoder_get_encoding(JSContext *ctx, JSValueConst this_val)
{
    if (JS_GetClassID(this_val) != encoder_class)
        return JS_ThrowTypeError(ctx, "not a TextEncoder");
    return JS_NewString(ctx, "utf-8");
}

/* ---------------------------------------------------------------- classes */

static const JSCFunctionListEntry encoder_members[] = {
    JS_CGETSET_DEF2("encoding", encoder_get_encoding, NULL, WEB_ATTRIBUTE),
    JS_CFUNC_DEF2("encode", 0, encoder_encode, JS_PROP_C_W_E),
    JS_CFUNC_DEF2("encodeInto", 2, encoder_encode_into, JS_PROP_C_W_E),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "TextEncoder", JS_PROP_CONFIGURABLE),
};

static const JSCFunctionListEntry decoder_members[] = {
    JS_CGETSET_MAGIC_DEF2("encoding", decoder_get, NULL, DECODER_ENCODING, WEB_ATTRIBUTE),
    JS_CGETSET_MAGIC_DEF2("fatal", decoder_get, NULL, DECODER_FATAL, WEB_ATTRIBUTE),
    JS_CGETSET_MAGIC_DEF2("ignoreBOM", decoder_get, NULL, DECODER_IGNORE_BOM, WEB_ATTRIBUTE),
    JS_CFUNC_DEF2("decode", 0, decoder_decode, JS_PROP_C_W_E),
    JS_PROP_STRING_DEF("[Symbol.toStringTag]", "TextDecoder", JS_PROP_CONFIGURABLE),
};

static const WebClass encoder_spec = {
    &encoder_class, { "TextEncoder" }, encoder_new, 0, encoder_members, WEB_COUNT(encoder_members),
};

static const WebClass decoder_spec = {
    &decoder_class, { "TextDecoder", .finalizer = decoder_free }, decoder_new, 0,
    decoder_members, WEB_COUNT(decoder_members),
};

int encoding_init(JSContext *ctx)
{
    if (JS_IsException(web_define_class(ctx, &encoder_spec)))
        return -1;
    return JS_IsException(web_define_class(ctx, &decoder_spec)) ? -1 : 0;
}
