/* The parts of the inspector among themselves; web_inspect.h is what others use. */
#ifndef WEB_INSPECTOR_H
#define WEB_INSPECTOR_H

#include "web_inspect.h"
#include "web_layout.h"
#include "web_peek.h"

#define INSPECTOR_MAX_STRING 10000 /* UTF-16 units of a quoted string */
#define INSPECTOR_MAX_NAME 200     /* the same of a key, a class or a function's name */
#define INSPECTOR_MAX_SEEN 16
#define INSPECTOR_POOL 512

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
    Seen seen[INSPECTOR_MAX_SEEN]; /* the objects around the one being written */
    int pooled;
    PeekProperty pool[INSPECTOR_POOL]; /* a stack of the properties being written */
    uint16_t units[INSPECTOR_MAX_STRING]; /* the string being quoted */
} Inspector;

/* web_inspect_text.c: strings, keys and primitive values. */
void inspector_put_quoted(Inspector *in, JSValueConst string, bool may_split);
void inspector_put_key(Inspector *in, const PeekProperty *property);
/* The name of a key or class; true when it is a symbol. */
bool inspector_put_atom(JSContext *ctx, Text *out, JSAtom atom);

/* web_inspect_names.c: what an object is called, and the text before its entries. */
void inspector_put_label(Inspector *in, JSValueConst object, const char *usual, int64_t size,
                         bool always);
void inspector_put_head(Inspector *in, Group *group, JSValueConst object, PeekKind kind);
/* The name of the nearest class; false when the prototype chain ends first. */
bool inspector_class_name(Inspector *in, JSValueConst object, JSValueConst *name);

/* web_inspect_error.c */
void inspector_put_error(Inspector *in, JSValueConst error);

/* web_inspect_entries.c: what stands between the brackets. */
void inspector_put_entries(Inspector *in, Group *group, JSValueConst object, PeekKind kind,
                           int depth);

/* web_inspect.c */
void inspector_put_value(Inspector *in, JSValueConst value, int depth);

#endif
