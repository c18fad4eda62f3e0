/* Values as text for a reader: what Node's util.inspect shows, bounded.
 *
 * Runs none of the program's code (getters, proxies and toString are shown,
 * not called), never throws and leaves no exception pending. The cost of one
 * call is bounded by the text it may produce, not by the size of the value.
 */
#ifndef WEB_INSPECT_H
#define WEB_INSPECT_H

#include "web_text.h"

#define INSPECT_BUDGET 32768       /* bytes of one console line */
#define INSPECT_ARENA (5 * INSPECT_BUDGET)
#define INSPECT_DEPTH 4

void inspect(JSContext *ctx, Text *out, JSValueConst value, int max_depth);
/* The same on one line, with at most three array items: a table's cell. */
void inspect_cell(JSContext *ctx, Text *out, JSValueConst value, int max_depth);
/* A number, string, symbol...; strings unquoted. False for an object. */
bool inspect_primitive(JSContext *ctx, Text *out, JSValueConst value);
void inspect_key(JSContext *ctx, Text *out, JSAtom atom);

#endif
