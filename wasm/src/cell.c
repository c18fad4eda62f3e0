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

#define SHADOW_STACK_BYTES (1024 * 1024)
#define JS_STACK_BYTES (900 * 1024)

__attribute__((used, visibility("default"))) struct cell_mailbox cell_mailbox = {
    .version = TOOLCELL_ABI_VERSION,
};

static struct {
    JSRuntime *rt;
    JSContext *ctx;
    struct refusal *refusals;
} cell;

static void cell_end(uint32_t ending)
{
    cell_mailbox.ending = ending;
    cell_mailbox.state = CELL_ENDED;
}

#include "cell/clock.c"
#include "cell/memory.c"
#include "cell/random.c"
#include "cell/writer.c"
#include "cell/serialize.c"
#include "cell/failure.c"
#include "cell/compile.c"
#include "cell/calls.c"
#include "cell/run.c"
