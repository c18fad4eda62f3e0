/* What the cell offers to the other native parts of the guest (web.c, typescript.c). */
#ifndef TOOLCELL_CELL_H
#define TOOLCELL_CELL_H

#include <stddef.h>
#include <stdint.h>

/* Fills dst with n bytes of the run's own random stream (ChaCha20 keyed by the run's seed). */
void cell_random(uint8_t *dst, size_t n);

/* Unix time in whole milliseconds, as of the last step; and when the run began. */
double cell_clock_ms(void);
double cell_start_ms(void);

/* Appends one line to the run's log; what does not fit is counted and dropped. Levels as in abi.h. */
void cell_log(int level, const char *utf8, size_t len);

/* Whether a log line of this many bytes would still find room: lets a caller format less. */
size_t cell_log_room(void);

#endif
