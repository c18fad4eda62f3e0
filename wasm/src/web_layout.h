/* How a formatted object's entries are joined: on one line when they fit, one
 * per line when they do not, in columns when they are many short array items.
 * The rules and the numbers are those of Node's util.inspect.
 *
 * An object being formatted is a Group: its head, then its entries, all in one
 * Text with nothing between them. layout_close() rewrites that stretch.
 */
#ifndef WEB_LAYOUT_H
#define WEB_LAYOUT_H

#include "web_text.h"

#define LAYOUT_MAX_ENTRIES 2048
#define LAYOUT_WIDTH 80

typedef struct Layout {
    Text *out;
    uint32_t indent;
    uint32_t width; /* LAYOUT_WIDTH, or UINT32_MAX for one line always */
    int deepest;    /* depth of the object with entries that was begun last */
    int count;
    uint32_t ends[LAYOUT_MAX_ENTRIES];
} Layout;

typedef struct Group {
    uint32_t start;
    uint32_t head_end;
    int first;
    int depth;
    int reference;   /* n of "<ref *n>", 0 for none */
    char open, close;
    bool head_alone; /* without entries the head is the whole text */
    bool is_list;
    bool pads_left;  /* numbers line up on the right */
    bool has_more;   /* the last entry counts what was left out */
} Group;

void layout_open(Layout *layout, Group *group, int depth);
void layout_head_done(Layout *layout, Group *group);
/* False when there is no room for another entry. */
bool layout_has_room(const Layout *layout);
void layout_entry_done(Layout *layout);
void layout_close(Layout *layout, Group *group);

#endif
