/* The changes to make, the names met on the way, and the text that results.
 *
 * Edits may be recorded in any order and may lie inside one another: the outer
 * one wins. Forgetting the latest edits is how a whole statement is dropped and
 * how a failed guess is undone.
 */
#include "ts_parser.h"

#include <stdlib.h>
#include <string.h>

void ts_edit(struct ts_parser *p, uint32_t start, uint32_t end, uint32_t text, uint32_t text_len)
{
    TS_PUSH(p, p->edits, (struct ts_edit){start, end, text, text_len, p->edits.count, {0, 0}});
}

void ts_blank(struct ts_parser *p, uint32_t start, uint32_t end)
{
    ts_edit(p, start, end, 0, 0);
}

void ts_replace(struct ts_parser *p, uint32_t start, uint32_t end, const char *text)
{
    uint32_t from = p->texts.count;
    ts_text(p, text);
    ts_edit(p, start, end, from, p->texts.count - from);
}

void ts_insert(struct ts_parser *p, uint32_t at, const char *text)
{
    ts_replace(p, at, at, text);
}

/* Drops [start, end) with every edit recorded inside it. */
void ts_erase(struct ts_parser *p, uint32_t first_edit, uint32_t start, uint32_t end)
{
    if (p->edits.count > first_edit)
        p->edits.count = first_edit;
    ts_blank(p, start, end);
}

static void add_text(struct ts_parser *p, const char *text, uint32_t len)
{
    if (!len || !ts_reserve(p, (void **)&p->texts.at, &p->texts.room, p->texts.count + len, 1))
        return;
    memcpy(p->texts.at + p->texts.count, text, len);
    p->texts.count += len;
}

void ts_text(struct ts_parser *p, const char *text)
{
    add_text(p, text, (uint32_t)strlen(text));
}

void ts_text_span(struct ts_parser *p, struct ts_span span)
{
    add_text(p, p->src + span.start, span.end - span.start);
}

/* % stands for the name, @ for the object of the enum or namespace around. */
void ts_text_format(struct ts_parser *p, const char *format, struct ts_span name)
{
    for (; *format; format++) {
        if (*format == '%')
            ts_text_span(p, name);
        else if (*format == '@')
            ts_text(p, ts_inner(p));
        else
            add_text(p, format, 1);
    }
}

static uint32_t hash_name(const struct ts_parser *p, uint32_t owner, int kind, struct ts_span name)
{
    uint32_t hash = (owner * 8 + (uint32_t)kind + 1) * 2654435761u;
    for (uint32_t i = name.start; i < name.end; i++)
        hash = (hash ^ (unsigned char)p->src[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot that holds the name, or the free one where it belongs. */
static struct ts_name *slot(const struct ts_parser *p, uint32_t hash, uint32_t owner, int kind, struct ts_span name)
{
    uint32_t mask = p->table_room - 1, len = name.end - name.start;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        struct ts_name *n = p->table + at;
        bool same = n->hash == hash && n->owner == owner && n->kind == kind && n->len == len;
        if (!n->len || (same && !memcmp(p->src + n->start, p->src + name.start, len)))
            return n;
    }
}

static bool grow_table(struct ts_parser *p)
{
    uint32_t old_room = p->table_room;
    struct ts_name *old = p->table;
    uint32_t room = old_room ? old_room * 2 : 128;
    struct ts_name *table = calloc(room, sizeof *table);
    if (!table) {
        ts_out_of_memory(p);
        return false;
    }
    p->table = table;
    p->table_room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].len)
            *slot(p, old[i].hash, old[i].owner, old[i].kind, (struct ts_span){old[i].start, old[i].start + old[i].len}) =
                old[i];
    free(old);
    return true;
}

struct ts_name *ts_find(const struct ts_parser *p, uint32_t owner, int kind, struct ts_span name)
{
    if (!p->table_count || name.end == name.start)
        return NULL;
    struct ts_name *n = slot(p, hash_name(p, owner, kind, name), owner, kind, name);
    return n->len ? n : NULL;
}

/* The entry of that name, made if new. NULL when memory is out. Moves all entries. */
struct ts_name *ts_remember(struct ts_parser *p, uint32_t owner, int kind, struct ts_span name)
{
    if (name.end == name.start || (p->table_count * 3 >= p->table_room * 2 && !grow_table(p)))
        return NULL;
    uint32_t hash = hash_name(p, owner, kind, name);
    struct ts_name *n = slot(p, hash, owner, kind, name);
    if (!n->len) {
        p->table_count++;
        *n = (struct ts_name){hash, owner, name.start, name.end - name.start, 0, kind};
    }
    return n;
}

void ts_declare(struct ts_parser *p, struct ts_span name)
{
    ts_remember(p, p->ctx.scope, N_DECLARED, name);
}

/* An enum or namespace may go on in a second block, where names of the first are in scope. */
static void borrow(struct ts_parser *p, struct ts_body *body, struct ts_span name)
{
    const struct ts_name *member = ts_find(p, body->entity, N_MEMBER, name);
    if (!member || member->value >= body->part)
        return;
    uint32_t from = p->texts.count;
    ts_text_format(p, "var %=@.%;", name);
    ts_edit(p, body->inside, body->inside, from, p->texts.count - from);
    if (p->status == TS_OK)
        p->edits.at[p->edits.count - 1].name = name;
    body->borrowed = true;
}

/* The name is read or written as a value here. */
void ts_use(struct ts_parser *p, struct ts_span name)
{
    if (p->ambient)
        return;
    if (p->tracks_uses)
        ts_remember(p, 0, N_USED, name);
    for (struct ts_body *body = p->bodies; body; body = body->outer)
        if (body->part)
            borrow(p, body, name);
}

/* By place; at one place insertions come before what follows, in the order made. */
static int compare_edits(const void *left, const void *right)
{
    const struct ts_edit *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    bool insertion_a = a->end == a->start, insertion_b = b->end == b->start;
    if (insertion_a != insertion_b)
        return insertion_a ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* White space with as many bytes, and as many UTF-16 units, as a character of that many bytes. */
static const char *const spaces[] = {"", " ", "\xC2\xA0", "\xE3\x80\x80", "\xC2\xA0\xC2\xA0"};

static uint32_t character_bytes(const struct ts_parser *p, uint32_t at, uint32_t end)
{
    unsigned char c = (unsigned char)p->src[at];
    uint32_t bytes = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 1;
    return at + bytes <= end ? bytes : 1;
}

/* Spaces for src[start, end), line ends kept; text takes the place of the first ones. */
static char *write_edit(const struct ts_parser *p, char *to, const struct ts_edit *edit)
{
    uint32_t covered = edit->text_len, bytes;
    if (covered)
        memcpy(to, p->texts.at + edit->text, covered);
    to += covered;
    for (uint32_t at = edit->start; at < edit->end; at += bytes) {
        const char *from = p->src + at;
        bytes = character_bytes(p, at, edit->end);
        if (ts_line_break_in(p, at, at + 1)) {
            covered = 0;
        } else if (covered) {
            covered--;
            continue;
        } else {
            from = spaces[bytes];
        }
        memcpy(to, from, bytes);
        to += bytes;
    }
    return to;
}

int ts_write(struct ts_parser *p, struct ts_result *out)
{
    size_t room = p->len + 1;
    uint32_t done = 0;
    for (uint32_t i = 0; i < p->edits.count; i++)
        room += p->edits.at[i].text_len;
    char *to = out->text = malloc(room);
    if (!to) {
        ts_out_of_memory(p);
        return TS_LIMIT;
    }
    if (p->edits.count)
        qsort(p->edits.at, p->edits.count, sizeof *p->edits.at, compare_edits);
    for (uint32_t i = 0; i < p->edits.count; i++) {
        const struct ts_edit *edit = p->edits.at + i;
        if (edit->start < done)
            continue;
        memcpy(to, p->src + done, edit->start - done);
        to = write_edit(p, to + (edit->start - done), edit);
        done = edit->end;
    }
    memcpy(to, p->src + done, p->len - done);
    to += p->len - done;
    *to = '\0';
    out->len = (size_t)(to - out->text);
    return TS_OK;
}
