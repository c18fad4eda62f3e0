/* See web_table.h. The grid is filled first (each cell's text in one buffer), then
 * drawn; a table past the bounds says how many rows it left out.
 */
#include "web_table.h"

#include <stddef.h>

#include "web_inspect.h"
#include "web_peek.h"

#define MAX_ROWS 100
#define MAX_COLUMNS 20
#define MAX_CELL 200

typedef struct Span {
    uint32_t start, end;
} Span;

typedef struct Column {
    JSAtom atom;       /* JS_ATOM_NULL: a fixed heading */
    const char *title;
    bool is_owned;     /* the atom was made here */
} Column;

typedef struct Table {
    JSContext *ctx;
    Text cells;
    int rows, columns;
    uint32_t left_out;
    bool is_fixed; /* the caller named the columns */
    Column heads[MAX_COLUMNS];
    Span grid[MAX_ROWS + 1][MAX_COLUMNS]; /* row 0 is the heading */
    char bytes[2 * INSPECT_BUDGET];
} Table;

/* The one that is being drawn: nothing here re-enters JavaScript. */
static Table *table;

static JSValueConst unwrap(JSValueConst value)
{
    int steps;

    for (steps = 0; steps < 100 && JS_IsObject(value) && peek_kind(value) == PEEK_PROXY; steps++)
        value = peek_proxy_target(value);
    return steps < 100 ? value : JS_NULL;
}

static bool is_row(JSValueConst value)
{
    return JS_IsObject(value) && peek_kind(value) != PEEK_FUNCTION;
}

/* ---------------------------------------------------------------- filling */

static void end_cell(int row, int column, uint32_t start)
{
    Text cell = { table->cells.at + start, table->cells.length - start, MAX_CELL * 4, false };

    text_cut(&cell, MAX_CELL);
    table->cells.length = start + cell.length;
    table->grid[row][column].start = start;
    table->grid[row][column].end = table->cells.length;
}

static void put_cell(int row, int column, JSValueConst value)
{
    uint32_t start = table->cells.length;
    Text cell = { table->cells.at + start, 0, table->cells.capacity - start, false };
    bool shallow = is_row(value) && peek_kind(value) == PEEK_PLAIN;

    inspect_cell(table->ctx, &cell, value, shallow ? -1 : 0);
    table->cells.length = start + cell.length;
    end_cell(row, column, start);
}

static int find_column(JSAtom atom, const char *title)
{
    int i;

    for (i = 0; i < table->columns; i++) {
        if (table->heads[i].atom == atom && table->heads[i].title == title)
            return i;
    }
    if (table->is_fixed && !title)
        return -1;
    if (table->columns == MAX_COLUMNS)
        return -1;
    table->heads[table->columns].atom = atom;
    table->heads[table->columns].title = title;
    return table->columns++;
}

static const char values_title[] = "Values";

static void put_member(int row, JSAtom atom, JSValueConst value)
{
    int column = find_column(atom, NULL);

    if (column >= 0)
        put_cell(row, column, value);
}

static void put_row_items(int row, JSValueConst array)
{
    JSValueConst *values;
    uint32_t count, i;

    if (!peek_dense(array, &values, &count))
        return;
    for (i = 0; i < count && i < MAX_COLUMNS; i++)
        put_member(row, JS_NewAtomUInt32(table->ctx, i), values[i]);
}

static void put_row(int row, JSValueConst value)
{
    PeekProperty own[MAX_COLUMNS];
    uint32_t total;
    int n, i;

    value = unwrap(value);
    if (!is_row(value)) {
        i = find_column(0, values_title);
        if (i >= 0)
            put_cell(row, i, value);
        return;
    }
    if (peek_kind(value) == PEEK_ARRAY)
        put_row_items(row, value);
    n = peek_properties(table->ctx, value, own, MAX_COLUMNS, &total);
    for (i = 0; i < n; i++) {
        if (!own[i].is_symbol && own[i].access == PEEK_DATA)
            put_member(row, own[i].atom, own[i].value);
    }
}

static int new_row(void)
{
    if (table->rows == MAX_ROWS || table->cells.length > INSPECT_BUDGET) {
        table->left_out++;
        return 0;
    }
    return ++table->rows;
}

static void put_index(int row, uint32_t index)
{
    uint32_t start = table->cells.length;

    text_putf(&table->cells, "%u", index);
    end_cell(row, 0, start);
}

static void fill_from_array(JSValueConst array)
{
    JSValueConst *values;
    uint32_t count, i;
    int row;

    if (!peek_dense(array, &values, &count))
        return;
    for (i = 0; i < count; i++) {
        row = new_row();
        if (!row) {
            table->left_out = count - i;
            return;
        }
        put_index(row, i);
        put_row(row, values[i]);
    }
}

static void fill_from_object(JSValueConst object)
{
    PeekProperty own[MAX_ROWS];
    uint32_t total, start;
    int n, i, row;

    n = peek_properties(table->ctx, object, own, MAX_ROWS, &total);
    for (i = 0; i < n && (row = new_row()) != 0; i++) {
        start = table->cells.length;
        inspect_key(table->ctx, &table->cells, own[i].atom);
        end_cell(row, 0, start);
        put_row(row, own[i].value);
    }
    table->left_out = total - table->rows;
}

static void fill_from_collection(JSValueConst collection, bool is_map)
{
    static const char key_title[] = "Key";
    JSValueConst key, value;
    void *cursor = NULL;
    int row;

    while (peek_entry(collection, &cursor, &key, &value) && (row = new_row()) != 0) {
        put_index(row, row - 1);
        if (is_map)
            put_cell(row, find_column(0, key_title), key);
        put_cell(row, find_column(0, values_title), is_map ? value : key);
    }
    table->left_out = peek_size(collection) - table->rows;
}

/* ---------------------------------------------------------------- drawing */

static void put_headings(void)
{
    uint32_t start;
    int i;

    for (i = 0; i < table->columns; i++) {
        start = table->cells.length;
        if (table->heads[i].title)
            text_puts(&table->cells, table->heads[i].title);
        else
            inspect_key(table->ctx, &table->cells, table->heads[i].atom);
        end_cell(0, i, start);
    }
}

static uint32_t cell_width(int row, int column)
{
    Span span = table->grid[row][column];

    return text_width(table->cells.at + span.start, span.end - span.start);
}

static void put_rule(Text *out, const uint32_t *widths, const char *left, const char *middle,
                     const char *right)
{
    uint32_t n;
    int i;

    text_puts(out, left);
    for (i = 0; i < table->columns; i++) {
        for (n = 0; n < widths[i] + 2; n++)
            text_puts(out, "\u2500");
        text_puts(out, i + 1 < table->columns ? middle : right);
    }
}

static void put_line(Text *out, const uint32_t *widths, int row)
{
    Span span;
    int i;

    text_puts(out, "\n\u2502");
    for (i = 0; i < table->columns; i++) {
        span = table->grid[row][i];
        text_puts(out, " ");
        text_put(out, table->cells.at + span.start, span.end - span.start);
        text_fill(out, ' ', widths[i] - cell_width(row, i) + 1);
        text_puts(out, "\u2502");
    }
}

static void draw(Text *out)
{
    uint32_t widths[MAX_COLUMNS] = { 0 };
    int row, i;

    for (row = 0; row <= table->rows; row++) {
        for (i = 0; i < table->columns; i++) {
            if (cell_width(row, i) > widths[i])
                widths[i] = cell_width(row, i);
        }
    }
    put_rule(out, widths, "\u250c", "\u252c", "\u2510");
    put_line(out, widths, 0);
    text_puts(out, "\n");
    put_rule(out, widths, "\u251c", "\u253c", "\u2524");
    for (row = 1; row <= table->rows; row++)
        put_line(out, widths, row);
    text_puts(out, "\n");
    put_rule(out, widths, "\u2514", "\u2534", "\u2518");
    if (table->left_out)
        text_putf(out, "\n... %u more row%s", table->left_out, table->left_out > 1 ? "s" : "");
}

static bool start(JSContext *ctx, PeekKind kind)
{
    table = js_malloc(ctx, sizeof(*table));
    if (!table) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return false;
    }
    memset(table, 0, offsetof(Table, bytes));
    table->ctx = ctx;
    table->cells.at = table->bytes;
    table->cells.capacity = sizeof(table->bytes);
    table->heads[0].title = kind == PEEK_MAP || kind == PEEK_SET ? "(iteration index)" : "(index)";
    table->columns = 1;
    return true;
}

static void choose_columns(JSContext *ctx, JSValueConst columns)
{
    JSValueConst *names;
    uint32_t count, i;

    columns = unwrap(columns);
    if (!JS_IsObject(columns) || peek_kind(columns) != PEEK_ARRAY ||
        !peek_dense(columns, &names, &count))
        return;
    for (i = 0; i < count && table->columns < MAX_COLUMNS; i++) {
        if (!JS_IsString(names[i]))
            continue;
        table->heads[table->columns].atom = JS_ValueToAtom(ctx, names[i]);
        table->heads[table->columns++].is_owned = true;
    }
    table->is_fixed = true;
}

static void free_columns(JSContext *ctx)
{
    int i;

    for (i = 0; i < table->columns; i++) {
        if (table->heads[i].is_owned)
            JS_FreeAtom(ctx, table->heads[i].atom);
    }
}

bool table_put(JSContext *ctx, Text *out, JSValueConst data, JSValueConst columns)
{
    PeekKind kind;

    data = unwrap(data);
    if (!is_row(data))
        return false;
    kind = peek_kind(data);
    if (!start(ctx, kind))
        return false;
    choose_columns(ctx, columns);
    if (kind == PEEK_MAP || kind == PEEK_SET)
        fill_from_collection(data, kind == PEEK_MAP);
    else if (kind == PEEK_ARRAY)
        fill_from_array(data);
    else
        fill_from_object(data);
    put_headings();
    draw(out);
    free_columns(ctx);
    js_free(ctx, table);
    return true;
}
