/* See web_layout.h. */
#include "web_layout.h"

#define COMPACT_LEVELS 3
#define COLUMNS_FROM 7
#define COLUMNS_MAX 15
#define SEPARATOR 2

void layout_open(Layout *layout, Group *group, int depth)
{
    memset(group, 0, sizeof(*group));
    group->start = layout->out->length;
    group->first = layout->count;
    group->depth = depth;
    group->open = '{';
    group->close = '}';
}

void layout_head_done(Layout *layout, Group *group)
{
    group->head_end = layout->out->length;
}

bool layout_has_room(const Layout *layout)
{
    return layout->count < LAYOUT_MAX_ENTRIES - 1 && !layout->out->overflowed;
}

void layout_entry_done(Layout *layout)
{
    if (layout->count < LAYOUT_MAX_ENTRIES)
        layout->ends[layout->count++] = layout->out->length;
}

static uint32_t entry_start(const Layout *layout, const Group *group, int i)
{
    return i == group->first ? group->head_end : layout->ends[i - 1];
}

static uint32_t entry_width(const Layout *layout, const Group *group, int i)
{
    uint32_t start = entry_start(layout, group, i);

    return text_width(layout->out->at + start, layout->ends[i] - start);
}

static void copy_entry(Layout *layout, const Group *group, int i)
{
    uint32_t start = entry_start(layout, group, i);

    text_put(layout->out, layout->out->at + start, layout->ends[i] - start);
}

/* Replaces everything from `start` by what was written from `tail` on. */
static void settle(Text *out, uint32_t start, uint32_t tail)
{
    memmove(out->at + start, out->at + tail, out->length - tail);
    out->length -= tail - start;
}

/* ------------------------------------------------------------- columns */

static uint32_t column_count(const Layout *layout, uint32_t total, uint32_t widest, int n,
                             int entries)
{
    double actual = widest + SEPARATOR, bias, columns;
    double room = layout->width;

    if (actual * 3 + layout->indent >= room || (total / actual <= 5 && widest > 6))
        return 1;
    bias = actual - 3 - sqrt(actual - (double)total / entries);
    if (bias < 1)
        bias = 1;
    columns = floor(sqrt(2.5 * bias * n) / bias + 0.5);
    if (columns > floor((room - layout->indent) / actual))
        columns = floor((room - layout->indent) / actual);
    if (columns > COMPACT_LEVELS * 4)
        columns = COMPACT_LEVELS * 4;
    return columns > COLUMNS_MAX ? COLUMNS_MAX : columns < 1 ? 1 : (uint32_t)columns;
}

static void write_row(Layout *layout, const Group *group, int from, int to,
                      const uint32_t *widths)
{
    uint32_t pad;
    int i;

    for (i = from; i < to; i++) {
        pad = widths[i - from] - entry_width(layout, group, i);
        if (group->pads_left)
            text_fill(layout->out, ' ', pad);
        copy_entry(layout, group, i);
        if (i == to - 1)
            break;
        text_puts(layout->out, ", ");
        if (!group->pads_left)
            text_fill(layout->out, ' ', pad);
    }
}

/* Turns entries into rows of aligned columns; false when they stay as they are. */
static bool arrange_columns(Layout *layout, Group *group)
{
    int last = layout->count - group->has_more, n = last - group->first, i, rows = 0;
    uint32_t tail = layout->out->length, total = 0, widest = 0, columns, w;
    uint32_t widths[COLUMNS_MAX] = { 0 }, ends[LAYOUT_MAX_ENTRIES / COLUMNS_FROM];

    for (i = group->first; i < last; i++) {
        w = entry_width(layout, group, i);
        total += w + SEPARATOR;
        widest = w > widest ? w : widest;
    }
    columns = column_count(layout, total, widest, n, layout->count - group->first);
    if (columns <= 1)
        return false;
    for (i = 0; i < n; i++) {
        w = entry_width(layout, group, group->first + i);
        if (w > widths[i % columns])
            widths[i % columns] = w;
    }
    for (i = group->first; i < last && rows < (int)(sizeof(ends) / sizeof(*ends)) - 1; i += columns) {
        write_row(layout, group, i, i + (int)columns < last ? i + (int)columns : last, widths);
        ends[rows++] = layout->out->length;
    }
    if (group->has_more) {
        copy_entry(layout, group, last);
        ends[rows++] = layout->out->length;
    }
    settle(layout->out, group->head_end, tail);
    for (i = 0; i < rows; i++)
        layout->ends[group->first + i] = ends[i] - (tail - group->head_end);
    layout->count = group->first + rows;
    return true;
}

/* -------------------------------------------------------------- joining */

static bool fits_one_line(const Layout *layout, const Group *group)
{
    const Text *out = layout->out;
    uint32_t n = layout->count - group->first;
    uint32_t head = group->head_end - group->start;
    uint64_t width = n + layout->indent + text_width(out->at + group->start, head) + 1 + 10 + n;
    int i;

    if (layout->width == UINT32_MAX)
        return true;
    for (i = group->first; i < layout->count; i++)
        width += entry_width(layout, group, i);
    return width <= layout->width &&
           !memchr(out->at + group->start, '\n', out->length - group->start);
}

static void write_joined(Layout *layout, const Group *group, bool one_line)
{
    Text *out = layout->out;
    int i;

    for (i = group->first; i < layout->count; i++) {
        if (i > group->first)
            text_puts(out, one_line ? ", " : ",");
        if (!one_line) {
            text_puts(out, "\n");
            text_fill(out, ' ', layout->indent + 2);
        }
        copy_entry(layout, group, i);
    }
}

static void write_group(Layout *layout, const Group *group, bool one_line)
{
    Text *out = layout->out;
    uint32_t head = group->head_end - group->start;
    bool is_empty = layout->count == group->first;

    if (group->reference)
        text_putf(out, "<ref *%d> ", group->reference);
    text_put(out, out->at + group->start, head);
    if (is_empty && group->head_alone)
        return;
    if (head)
        text_puts(out, " ");
    text_put(out, &group->open, 1);
    if (!is_empty) {
        if (one_line)
            text_puts(out, " ");
        write_joined(layout, group, one_line);
        text_puts(out, one_line ? " " : "\n");
        if (!one_line)
            text_fill(out, ' ', layout->indent);
    }
    text_put(out, &group->close, 1);
}

void layout_close(Layout *layout, Group *group)
{
    bool in_columns = group->is_list && layout->count - group->first >= COLUMNS_FROM &&
                      layout->width != UINT32_MAX && arrange_columns(layout, group);
    bool one_line = !in_columns && (layout->deepest - group->depth < COMPACT_LEVELS ||
                                    layout->width == UINT32_MAX) &&
                    fits_one_line(layout, group);
    uint32_t tail = layout->out->length;

    write_group(layout, group, one_line);
    settle(layout->out, group->start, tail);
    layout->count = group->first;
}
