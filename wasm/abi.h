/* The boundary between the host and a cell: the single source of its shape.
 *
 * A cell and its host share one struct, the mailbox, at a fixed address in the cell's linear memory (where the exported
 * wasm global `cell_page` says; the cell's own statics follow it), and two imported functions. There is nothing else: no WASI, no shared memory.
 *
 *   import toolcell.wait()           suspends the cell until the host has put one answer into the mailbox
 *   import toolcell.take(dst, len)   copies the payload that did not fit into `inbox` to dst (bounds checked by the host)
 *   export run()                     runs the program that the mailbox holds, to its end
 *   export init()                    build time only: prepares the heap that the snapshot freezes
 *
 * The host trusts nothing that it reads here: every pointer and length is checked against the memory's size.
 * All numbers are little endian. `src/toolcell/sandbox/abi.py` is checked against this file by a test.
 */
#ifndef TOOLCELL_ABI_H
#define TOOLCELL_ABI_H

#include <stdint.h>

#define TOOLCELL_ABI_VERSION 1
#define TOOLCELL_INBOX_BYTES 2560 /* mailbox and the cell's own statics share one page */
#define TOOLCELL_LOG_BYTES 65536

/* mailbox.state */
#define CELL_RUNNING 0
#define CELL_WAITING 1
#define CELL_ENDED 2

/* mailbox.ending */
#define ENDING_VALUE 0
#define ENDING_SYNTAX_ERROR 1
#define ENDING_TRANSPILE_ERROR 2
#define ENDING_RUNTIME_ERROR 3
#define ENDING_MEMORY_LIMIT_EXCEEDED 4
#define ENDING_SERIALIZATION_ERROR 5
#define ENDING_RESULT_TOO_LARGE 6
#define ENDING_REFUSED 7 /* an unseen refusal ends the run; `message` starts with its code and a newline */
#define ENDING_INTERNAL 8

/* mailbox.language */
#define LANGUAGE_JAVASCRIPT 0
#define LANGUAGE_TYPESCRIPT 1

/* mailbox.dialect */
#define DIALECT_MCPPROXY 0
#define DIALECT_PINKFISH 1

/* mailbox.answer_flags */
#define ANSWER_REJECT 2 /* reject the Promise of an asynchronous request with this error */

/* One request in the outbox: this header, then `op_len` bytes of operation name, then `payload_len` bytes of JSON. */
struct cell_request {
    uint32_t call_id;
    uint32_t op_len;
    uint32_t payload_len;
};

/* One line in the log: this header, then `len` bytes of UTF-8. */
struct cell_log_line {
    uint32_t level; /* 0 debug, 1 log, 2 info, 3 warn, 4 error */
    uint32_t len;
};

struct cell_mailbox {
    /* written by the cell */
    uint32_t version;
    uint32_t state;
    uint32_t ending;
    uint32_t value_ptr;
    uint32_t value_len;
    uint32_t value_total; /* the value's true size in bytes, also when it was too large to keep */
    uint32_t message_ptr;
    uint32_t message_len;
    uint32_t stack_ptr;
    uint32_t stack_len;
    uint32_t line;   /* 1-based, of the caller's text; 0 = unknown */
    uint32_t column; /* 1-based, in UTF-16 code units; 0 = unknown */
    uint32_t log_ptr;
    uint32_t log_len;
    uint32_t log_dropped; /* bytes of log that did not fit */
    uint32_t outbox_ptr;
    uint32_t outbox_len;
    uint32_t waiting_for; /* the one call a blocked program waits for; 0 = any */
    double wake_at;       /* clock_ms at which to resume without an answer; 0 = never */
    uint32_t reserved[12];
    /* written by the host, from here to the end of the inbox in one copy */
    uint32_t language;
    uint32_t dialect;
    uint32_t source_len;
    uint32_t input_len;
    uint32_t memory_limit;
    uint32_t result_limit;
    uint32_t args_limit;
    uint32_t log_limit;
    uint32_t answer_call;
    uint32_t answer_len; /* 0 = woken by the clock */
    uint32_t answer_flags;
    uint32_t padding;
    double start_ms; /* Unix time in ms when the run began */
    double clock_ms; /* Unix time in ms, set at every step */
    uint8_t seed[32];
    uint8_t inbox[TOOLCELL_INBOX_BYTES]; /* source, NUL, input; later each answer that fits */
};

#endif
