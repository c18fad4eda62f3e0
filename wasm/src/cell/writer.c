/* A growing byte buffer that keeps the first `limit` bytes and counts the rest. */

#define COUNT_STOPS_AT (256ull << 20) /* bytes; what is larger is reported as more than this */

typedef struct {
    uint8_t *buf;
    uint32_t len;
    uint32_t cap;
    uint32_t limit;
    uint64_t total;
} Writer;

static void writer_open(Writer *w, uint32_t limit)
{
    *w = (Writer){.limit = limit};
}

static void writer_close(Writer *w)
{
    cell_free(w->buf);
    w->buf = NULL;
}

static no_inline void writer_grow(Writer *w, uint32_t need)
{
    uint32_t cap = w->cap * (w->cap < 65536 ? 8 : 2); /* few copies on the way to a large text */
    uint8_t *buf;

    if (cap < need + 248)
        cap = need + 248;
    if (cap > w->limit)
        cap = w->limit; /* need <= limit: what is larger is only counted */
    buf = w->buf ? cell_realloc(w->buf, cap) : cell_alloc(cap);
    if (!buf)
        cell_out_of_memory();
    w->buf = buf;
    w->cap = cap;
}

static inline bool writer_full(const Writer *w)
{
    return w->total > w->limit;
}

static inline void put_bytes(Writer *w, const void *data, uint32_t n)
{
    w->total += n;
    if (writer_full(w))
        return;
    if (w->len + n > w->cap)
        writer_grow(w, w->len + n);
    memcpy(w->buf + w->len, data, n);
    w->len += n;
}

static inline void put_byte(Writer *w, char c)
{
    put_bytes(w, &c, 1);
}

static void put_text(Writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

static void put_code_point(Writer *w, uint32_t c)
{
    uint8_t out[4];
    if (c < 0x80) {
        put_byte(w, (char)c);
    } else if (c < 0x800) {
        out[0] = 0xc0 | (c >> 6), out[1] = 0x80 | (c & 63);
        put_bytes(w, out, 2);
    } else if (c < 0x10000) {
        out[0] = 0xe0 | (c >> 12), out[1] = 0x80 | ((c >> 6) & 63), out[2] = 0x80 | (c & 63);
        put_bytes(w, out, 3);
    } else {
        out[0] = 0xf0 | (c >> 18), out[1] = 0x80 | ((c >> 12) & 63);
        out[2] = 0x80 | ((c >> 6) & 63), out[3] = 0x80 | (c & 63);
        put_bytes(w, out, 4);
    }
}

/* The code point at *i of a UTF-16 string, moving *i past it; a lone surrogate reads as U+FFFD. */
static uint32_t code_point_at(const uint16_t *s, uint32_t len, uint32_t *i)
{
    uint32_t c = s[(*i)++];
    if (c < 0xd800 || c > 0xdfff)
        return c;
    if (c <= 0xdbff && *i < len && s[*i] >= 0xdc00 && s[*i] <= 0xdfff)
        return 0x10000 + ((c - 0xd800) << 10) + (s[(*i)++] - 0xdc00);
    return 0xfffd;
}

static void put_escape(Writer *w, uint32_t c)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[] = {[8] = 'b', [9] = 't', [10] = 'n', [12] = 'f', [13] = 'r', ['"'] = '"', ['\\'] = '\\'};
    char out[6] = {'\\', 'u', '0', '0', hex[c >> 4 & 15], hex[c & 15]};

    if (c < sizeof shorts && shorts[c]) {
        out[1] = shorts[c];
        put_bytes(w, out, 2);
    } else {
        put_bytes(w, out, 6);
    }
}

static inline bool needs_escape(uint32_t c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static void put_json_latin1(Writer *w, const uint8_t *s, uint32_t len)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < len; i++) {
        if (!needs_escape(s[i]) && s[i] < 0x80)
            continue;
        put_bytes(w, s + start, i - start);
        if (s[i] < 0x80)
            put_escape(w, s[i]);
        else
            put_code_point(w, s[i]);
        start = i + 1;
    }
    put_bytes(w, s + start, len - start);
}

static void put_json_utf16(Writer *w, const uint16_t *s, uint32_t len)
{
    for (uint32_t i = 0; i < len && w->total < COUNT_STOPS_AT;) {
        uint32_t c = code_point_at(s, len, &i);
        if (needs_escape(c))
            put_escape(w, c);
        else
            put_code_point(w, c);
    }
}

static void put_json_string(Writer *w, JSString *p)
{
    put_byte(w, '"');
    if (p->is_wide_char)
        put_json_utf16(w, str16(p), p->len);
    else
        put_json_latin1(w, str8(p), p->len);
    put_byte(w, '"');
}

/* Up to `most` UTF-16 units of a string as plain UTF-8. */
static void put_plain_string(Writer *w, JSString *p, uint32_t most)
{
    uint32_t len = p->len < most ? p->len : most;
    for (uint32_t i = 0; i < len;) {
        if (p->is_wide_char)
            put_code_point(w, code_point_at(str16(p), len, &i));
        else
            put_code_point(w, str8(p)[i++]);
    }
}
