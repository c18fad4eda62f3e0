/* Looking into engine values without running the program's code.
 *
 * The public engine API reaches most of a value's inside only through
 * properties, and a program can put a getter, a proxy trap or its own
 * prototype method behind any property. Everything here reads the engine's
 * own structures instead, so console output, structuredClone and URL
 * arguments cannot be steered and never throw.
 *
 * cell/web_peek.c is compiled inside the engine's translation unit (it is
 * #included by cell.c). All returned JSValueConst are borrowed: they
 * live as long as the object they came from is neither freed nor written to.
 */
#ifndef WEB_PEEK_H
#define WEB_PEEK_H

#include "quickjs.h"

typedef enum PeekKind {
    PEEK_PLAIN, /* ordinary object, or any class without a row below */
    PEEK_ARRAY,
    PEEK_ARGUMENTS,
    PEEK_ERROR,
    PEEK_DOM_EXCEPTION,
    PEEK_BOXED, /* Number, String, Boolean, Symbol and BigInt objects */
    PEEK_DATE,
    PEEK_REGEXP,
    PEEK_FUNCTION,
    PEEK_ARRAY_BUFFER,
    PEEK_TYPED_ARRAY,
    PEEK_DATA_VIEW,
    PEEK_MAP,
    PEEK_SET,
    PEEK_WEAK, /* WeakMap, WeakSet, WeakRef, FinalizationRegistry */
    PEEK_PROMISE,
    PEEK_PROXY,
    PEEK_HOST, /* generators, iterators and classes registered from C */
} PeekKind;

typedef enum PeekAccess {
    PEEK_DATA,
    PEEK_GETTER,
    PEEK_SETTER,
    PEEK_GETTER_SETTER,
} PeekAccess;

typedef struct PeekProperty {
    JSAtom atom;
    uint32_t index; /* the integer key, or PEEK_NO_INDEX */
    PeekAccess access;
    bool enumerable;
    bool is_symbol;
    JSValueConst value; /* JS_UNDEFINED for an accessor */
} PeekProperty;

#define PEEK_NO_INDEX UINT32_MAX

typedef struct PeekFunction {
    const char *kind; /* "Function", "AsyncFunction", ... */
    bool is_class;
    bool is_derived_class;
} PeekFunction;

typedef struct PeekBuffer {
    uint8_t *data; /* NULL when detached */
    uint32_t length;
    int64_t max_length; /* -1 when not resizable */
    bool is_shared;
    bool is_detached;
} PeekBuffer;

typedef struct PeekView {
    JSValueConst buffer;
    uint32_t offset;
    uint32_t length; /* elements, or bytes for a DataView; 0 when out of bounds */
    uint32_t element_size;
    bool tracks_buffer;
    bool is_out_of_bounds;
} PeekView;

PeekKind peek_kind(JSValueConst object);
JSValueConst peek_prototype(JSValueConst object);

/* Own properties outside an array's dense part, integer keys first, then
 * names, then symbols. Fills at most `max`; `total` counts all that match. */
int peek_properties(JSContext *ctx, JSValueConst object, PeekProperty *out,
                    int max, uint32_t *total);
bool peek_own(JSContext *ctx, JSValueConst object, JSAtom atom, PeekProperty *out);
/* A data property of the object or its prototypes, else JS_UNDEFINED. */
JSValueConst peek_data(JSContext *ctx, JSValueConst object, JSAtom atom);

/* Text of a string, or the description of a symbol. */
uint32_t peek_text_length(JSValueConst text);
uint32_t peek_text_copy(JSValueConst text, uint32_t start, uint16_t *out, uint32_t max);

/* An array's length and its dense part; false when it has no dense part. */
uint32_t peek_array_length(JSValueConst array);
bool peek_dense(JSValueConst array, JSValueConst **values, uint32_t *count);
/* The item at `i` of an array or arguments object; false for a hole. */
bool peek_item(JSContext *ctx, JSValueConst array, uint32_t i, PeekProperty *out);

uint32_t peek_size(JSValueConst map_or_set);
/* Steps through live entries; start with *cursor NULL; false at the end. */
bool peek_entry(JSValueConst map_or_set, void **cursor, JSValueConst *key,
                JSValueConst *value);

JSValueConst peek_inner(JSValueConst object); /* Date time, boxed value, error stack */
JSValueConst peek_dom_exception(JSValueConst object, bool want_message);
JSValueConst peek_regexp(JSContext *ctx, JSValueConst object, int *flags);
void peek_function(JSValueConst object, PeekFunction *out);
JSValueConst peek_promise(JSValueConst object, JSPromiseStateEnum *state);
JSValueConst peek_proxy_target(JSValueConst object); /* JS_NULL when revoked */
void peek_buffer(JSValueConst object, PeekBuffer *out);
void peek_view(JSValueConst object, PeekView *out);
uint32_t peek_bigint_bits(JSValueConst bigint);
JSAtom peek_class_name(JSContext *ctx, JSValueConst object); /* not to be freed */
/* The calls that led here, as an error's `stack` has them; "" without memory. */
JSValue peek_backtrace(JSContext *ctx);

/* Well-known symbol, not to be freed. */
JSAtom peek_to_string_tag(void);
JSAtom peek_iterator_symbol(void);
JSValueConst peek_iterator_prototype(JSContext *ctx);

/* New values made from the realm's original classes, whatever the program
 * did to the globals. */
JSValue peek_new_error(JSContext *ctx, const char *type_name);
JSValue peek_new_map(JSContext *ctx, bool is_set);
int peek_map_set(JSContext *ctx, JSValueConst map, JSValueConst key, JSValueConst value);
JSValue peek_new_regexp(JSContext *ctx, JSValueConst source, JSValueConst like);
JSValue peek_new_dom_exception(JSContext *ctx, JSValueConst like);
JSValue peek_new_view(JSContext *ctx, JSValueConst like, JSValue buffer,
                      const PeekView *view);
JSValue peek_new_buffer(JSContext *ctx, uint32_t length, int64_t max_length);
void peek_set_error_stack(JSContext *ctx, JSValueConst error, JSValueConst stack);

#endif
