/* The cell: one QuickJS runtime that runs one program and ends.
 *
 * Contract: `init` runs once at build time and its heap becomes the snapshot; `run` runs once per instance. Every value
 * that leaves the cell leaves as bytes that native code wrote, never as something a program's JavaScript produced or
 * could replace. No function here unwinds: an ending is a state in the mailbox and a return, or a trap.
 *
 * Security: the program owns this linear memory's heap. Nothing here is trusted by the host; see abi.h.
 *
 * quickjs.c is part of this translation unit because the serialiser, the compiler front and the error capture read its
 * internals; the parts below are separate files for the reader, one unit for the compiler.
 */
#include "quickjs.c"

#include "abi.h"
#include "cell.h"
#include "typescript.h"
#include "web.h"

#define FINE_BYTES 512     /* up to here one class of blocks every 8 bytes, above four for each power of two */
#define COARSE_BYTES 32768 /* the largest class */
#define FINE_CLASSES (FINE_BYTES / 8)
#define CLASSES (FINE_CLASSES + 4 * 6)

/* Everything small that a run writes to: one page, so one page fault. It begins with the mailbox. */
struct cell_page {
    struct cell_mailbox mailbox;
    JSRuntime *rt;
    JSContext *ctx;
    struct refusal *refusals, *last_refusal;
    uint8_t *outbox;
    uint8_t *log;
    uint8_t *second_stack;
    char *message;
    char *stack;
    uint32_t last_call_id;
    int rejected; /* how many of `rejections` are in use */
    /* read and written by the patched parser */
    const uint8_t *syntax_error_at;
    bool top_level_return;
    bool await_is_keyword;
    const uint8_t *wide_source; /* the program, where it is not plain ASCII */
    uint32_t wide_len;
    uint32_t *marks; /* UTF-16 units before each MARK_BYTES of it */
    struct heap {
        uint8_t *next; /* the uncut rest of the current chunk */
        uint8_t *end;
        bool planning; /* build time: the snapshot's layout is being planned */
        uint8_t hot;   /* build time: whether the next block is one that runs write to */
        struct large *large; /* free large blocks by address */
        JSMallocBlockHeader *free[CLASSES]; /* linked through the first word of the block's data */
    } heap;
};

__attribute__((used, visibility("default"), aligned(4096))) struct cell_page cell_page = {
    .mailbox.version = TOOLCELL_ABI_VERSION,
};

#define cell cell_page
#define cell_mailbox cell_page.mailbox

static void cell_end(uint32_t ending)
{
    cell_mailbox.ending = ending;
    cell_mailbox.state = CELL_ENDED;
}

#include "cell/clock.c"
#include "cell/log.c"
#include "cell/large.c"
#include "cell/memory.c"
#include "cell/libc.c"
#include "cell/stack.c"
#include "cell/random.c"
#include "cell/writer.c"
#include "cell/serialize.c"
#include "cell/failure.c"
#include "cell/compile.c"
#include "cell/refusals.c"
#include "cell/reply.c"
#include "cell/calls.c"
#include "cell/web_peek.c"
#include "cell/run.c"
