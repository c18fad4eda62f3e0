/* Source to bytecode (spec 2.3): what models write is accepted, and compiled only once it parses as one of three forms.
 *
 * Nothing here runs the program. The text is changed in place and only by overwriting, so every line and column stays
 * the caller's.
 */

typedef enum { AS_SCRIPT, AS_ASYNC_SCRIPT, AS_FUNCTION_BODY, FORMS } Form;

typedef struct {
    JSValue function;
    Form form;
    bool exported;          /* `export default` was there */
    char export_name[128];  /* the global that holds what was exported */
} Unit;

static const char anonymous_export[] = "$expt$";

static bool all_ascii(const char *src, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if ((uint8_t)src[i] >= 0x80)
            return false;
    return true;
}

/* Columns are counted in UTF-16 code units, as editors and other engines do. The parser asks for one at every token,
   so a count must not start from the line's beginning: marks are kept at regular distances. Text that a program
   evaluates by itself has columns in bytes. */
#define MARK_BYTES 256

static uint32_t count_units(const uint8_t *p, const uint8_t *end)
{
    uint32_t n = 0;
    for (; p < end; p++)
        n += (*p & 0xc0) == 0x80 ? 0 : *p >= 0xf0 ? 2 : 1;
    return n;
}

static void mark_source(const char *src, uint32_t len)
{
    const uint8_t *start = (const uint8_t *)src;
    uint32_t marks = len / MARK_BYTES + 1;

    cell.wide_source = NULL;
    if (all_ascii(src, len))
        return;
    free(cell.marks);
    cell.marks = malloc(marks * sizeof *cell.marks);
    if (!cell.marks)
        cell_out_of_memory();
    cell.marks[0] = 0;
    for (uint32_t i = 1; i < marks; i++)
        cell.marks[i] = cell.marks[i - 1] + count_units(start + (i - 1) * MARK_BYTES, start + i * MARK_BYTES);
    cell.wide_source = start;
    cell.wide_len = len;
}

static bool in_wide_source(const uint8_t *at)
{
    return cell.wide_source && at >= cell.wide_source && at <= cell.wide_source + cell.wide_len;
}

static uint32_t units_before(const uint8_t *at)
{
    uint32_t mark = (uint32_t)(at - cell.wide_source) / MARK_BYTES;
    return cell.marks[mark] + count_units(cell.wide_source + mark * MARK_BYTES, at);
}

static int cell_token_column(const uint8_t *line_start, const uint8_t *at)
{
    if (!line_start || at < line_start)
        return 1;
    if (in_wide_source(line_start) && in_wide_source(at))
        return 1 + (int)(units_before(at) - units_before(line_start));
    return 1 + (int)(at - line_start);
}

/* Called by the patched parser (patches.py). */
static bool cell_top_level_return(void)
{
    return cell.top_level_return;
}

static bool cell_await_is_keyword(void)
{
    return cell.await_is_keyword;
}

static void cell_note_syntax_error(const uint8_t *at)
{
    cell.syntax_error_at = at;
}

/* ---- what surrounds a program ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void blank_out(char *s, const char *end)
{
    for (; s < end; s++)
        if (*s != '\n' && *s != '\r')
            *s = ' ';
}

static bool is_word(const char *s, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - s) == n && !strncasecmp(s, word, n);
}

/* Blanks one Markdown fence around the text; true if its info string names TypeScript. */
static bool strip_fence(char *s, uint32_t len)
{
    char *end = s + len, *open = s, *info, *eol;
    bool typescript;

    while (open < end && is_blank(*open))
        open++;
    while (end > open && is_blank(end[-1]))
        end--;
    if (end - open < 7 || memcmp(open, "```", 3) || memcmp(end - 3, "```", 3))
        return false;
    info = open + 3;
    eol = memchr(info, '\n', (size_t)(end - info));
    if (!eol || eol >= end - 3)
        return false;
    while (info < eol && is_blank(*info))
        info++;
    for (end[-1] = end[-2] = end[-3] = ' '; eol > info && is_blank(eol[-1]);)
        eol--;
    typescript = is_word(info, eol, "ts") || is_word(info, eol, "typescript");
    blank_out(open, eol);
    return typescript;
}

/* ---- export default ---- */

static bool is_name_char(char c)
{
    return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (uint8_t)c >= 0x80;
}

static char *skip_blanks(char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

static char *skip_word(char *s, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(s, word, n) && !is_name_char(s[n]) ? s + n : NULL;
}

/* The name of `function NAME` or `async function NAME` at s. */
static bool declared_name(char *s, char *name, size_t room)
{
    char *after = skip_word(s, "async");
    size_t n = 0;

    s = skip_word(after ? skip_blanks(after) : s, "function");
    if (!s)
        return false;
    s = skip_blanks(s);
    s = *s == '*' ? skip_blanks(s + 1) : s;
    while (n + 1 < room && is_name_char(s[n]))
        n++;
    memcpy(name, s, n);
    name[n] = 0;
    return n > 0 && !is_name_char(s[n]);
}

/* If `export default` stands at s, turns it into an assignment (or a plain declaration) of the same width. */
static bool rewrite_export(char *s, Unit *unit)
{
    char *middle = skip_word(s, "export");
    char *word = middle ? skip_blanks(middle) : NULL;
    char *rest = word && word > middle ? skip_word(word, "default") : NULL;

    if (!rest || unit->exported)
        return false;
    unit->exported = true;
    memset(s, ' ', 6);
    memset(word, ' ', 7);
    if (declared_name(skip_blanks(rest), unit->export_name, sizeof unit->export_name))
        return true;
    strcpy(unit->export_name, anonymous_export);
    memcpy(word, anonymous_export, 6);
    word[6] = '=';
    return true;
}

/* ---- the three forms ---- */

typedef struct {
    uint32_t line;
    uint32_t column;
    size_t offset;
    bool too_deep;
    char message[512];
} SyntaxError;

static void place_syntax_error(const char *src, uint32_t len, SyntaxError *e)
{
    const uint8_t *start = (const uint8_t *)src, *at = cell.syntax_error_at, *line = start;

    e->offset = 0;
    e->line = e->column = 0;
    if (!at || at < start || at > start + len)
        return;
    e->offset = (size_t)(at - start);
    e->line = 1;
    for (const uint8_t *p = start; p < at; p++)
        if (*p == '\n' || (*p == '\r' && p[1] != '\n'))
            e->line++, line = p + 1;
    e->column = (uint32_t)cell_token_column(line, at);
}

static void read_syntax_error(JSContext *ctx, const char *src, uint32_t len, SyntaxError *e)
{
    JSValue thrown = JS_GetException(ctx);

    put_failure_summary(ctx, thrown, e->message, sizeof e->message);
    e->too_deep = !strcmp(e->message, "RangeError: Maximum call stack size exceeded");
    place_syntax_error(src, len, e);
    JS_FreeValue(ctx, thrown);
}

static JSValue compile_form(JSContext *ctx, const char *src, uint32_t len, Form form)
{
    int flags = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY | (form == AS_SCRIPT ? 0 : JS_EVAL_FLAG_ASYNC);
    JSValue function;

    cell.syntax_error_at = NULL;
    cell.top_level_return = form == AS_FUNCTION_BODY;
    cell.await_is_keyword = true;
    function = __JS_EvalInternal(ctx, ctx->global_obj, src, len, "<eval>", 1, flags, -1);
    cell.top_level_return = cell.await_is_keyword = false;
    return function;
}

struct compilation {
    JSContext *ctx;
    const char *src;
    uint32_t len;
    Form form;
    JSValue function;
};

static void compile_here(void *arg)
{
    struct compilation *c = arg;
    c->function = compile_form(c->ctx, c->src, c->len, c->form);
}

/* Compiles one form; text that nests too deeply for the first stack is parsed again on the second. */
static JSValue compile_at_any_depth(JSContext *ctx, const char *src, uint32_t len, Form form, SyntaxError *error)
{
    struct compilation c = {ctx, src, len, form, compile_form(ctx, src, len, form)};

    if (!JS_IsException(c.function))
        return c.function;
    read_syntax_error(ctx, src, len, error);
    if (error->too_deep && on_second_stack(compile_here, &c) && JS_IsException(c.function))
        read_syntax_error(ctx, src, len, error);
    return c.function;
}

/* What a module statement means here, when the line of the error begins with one. */
static const char *module_statement(const char *src, size_t offset)
{
    const char *line = src + offset;
    char *after;

    while (line > src && line[-1] != '\n')
        line--;
    line = skip_blanks((char *)line);
    after = skip_word((char *)line, "import");
    if (after && !strchr("(.", *skip_blanks(after)))
        return "SyntaxError: import is not available: a cell has no modules; everything it offers is global (input, "
               "call_tool, call_tools, console, URL, ...)";
    if (skip_word((char *)line, "export"))
        return "SyntaxError: export is not available, except one `export default`: end with the value, or return it";
    return NULL;
}

static void end_with_syntax_error(const char *src, const SyntaxError *e)
{
    const char *module = e->line ? module_statement(src, e->offset) : NULL;
    const char *deep = "SyntaxError: the program is nested too deeply to parse: use fewer nested brackets";
    end_at(ENDING_SYNTAX_ERROR, e->too_deep ? deep : module ? module : e->message, e->line, e->column);
}

/* Compiles the first form that parses; otherwise ends the run with the error of the form that got furthest. */
static bool compile_unit(JSContext *ctx, char *src, uint32_t len, Unit *unit)
{
    SyntaxError best = {0}, now = {0};

    *unit = (Unit){.function = JS_UNDEFINED};
    mark_source(src, len);
    for (int form = AS_SCRIPT; form < FORMS; form++) {
        unit->function = compile_at_any_depth(ctx, src, len, (Form)form, &now);
        unit->form = (Form)form;
        if (!JS_IsException(unit->function))
            return true;
        if (!now.too_deep && now.line && rewrite_export(src + now.offset, unit)) {
            form = AS_SCRIPT - 1; /* the text changed: begin again */
            best = (SyntaxError){0};
            continue;
        }
        if (form == AS_SCRIPT || now.offset > best.offset || !best.message[0])
            best = now;
        if (now.too_deep)
            break;
    }
    end_with_syntax_error(src, &best);
    return false;
}
