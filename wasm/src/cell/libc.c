/* libc's allocation functions over the cell's own, for the C and C++ that is not QuickJS.
 *
 * The libc of the compiler rounds every size up to a power of two, which would halve what a cell can hold. */

void *malloc(size_t size)
{
    return cell_alloc(size ? size : 1);
}

void *calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return cell_calloc(total ? total : 1);
}

void *realloc(void *ptr, size_t size)
{
    return ptr ? cell_realloc(ptr, size ? size : 1) : malloc(size);
}

void free(void *ptr)
{
    cell_free(ptr);
}

size_t malloc_usable_size(void *ptr)
{
    return cell_block_size(ptr);
}
