/* What libc would import from WASI: a cell has no files, so every such call fails inside the guest and none is imported.
 *
 * wasi-libc declares these symbols as imports; a definition in the same link takes their place. */
#include <errno.h>
#include <stdint.h>

#define BADF 8 /* __WASI_ERRNO_BADF */

int close(int fd)
{
    (void)fd;
    errno = EBADF;
    return -1;
}

int32_t __imported_wasi_snapshot_preview1_fd_fdstat_get(int32_t fd, int32_t stat)
{
    (void)fd, (void)stat;
    return BADF;
}

int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t fd, int64_t offset, int32_t whence, int32_t size)
{
    (void)fd, (void)offset, (void)whence, (void)size;
    return BADF;
}

int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t fd, int32_t iovs, int32_t count, int32_t written)
{
    (void)fd, (void)iovs, (void)count, (void)written;
    return BADF;
}
