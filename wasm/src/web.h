/* What a cell has besides the language (spec 2.7): console, URL, text coding,
 * structuredClone, crypto, performance, and errors that help for what it has not.
 *
 * Everything is created once, before the snapshot; a run that uses none of it
 * pays nothing. No state of a run, no time and no randomness is captured at
 * init. All mutable state is in linear memory, so each cell has its own.
 */
#ifndef WEB_H
#define WEB_H

#include "cell.h"
#include "quickjs.h"

/* Levels, as abi.h numbers them. */
enum { WEB_DEBUG, WEB_LOG, WEB_INFO, WEB_WARN, WEB_ERROR };

/* --- given to the cell --- */

/* Defines the globals and removes those that a cell must not have. 0, or -1
 * with an exception pending. */
int web_init(JSContext *ctx);

/* What to use instead of a global that is not there, to follow "NAME is not
 * defined: "; NULL when there is nothing to add. `dialect` as in abi.h. */
const char *absence_hint(const char *name, int dialect);

/* --- parts of web_init, one per module --- */

int console_init(JSContext *ctx);
int clone_init(JSContext *ctx);
int encoding_init(JSContext *ctx);

#endif
