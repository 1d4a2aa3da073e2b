/* driver.c - runs a fuzz target on the files of its corpus, so that what a fuzzer once found is
 * tested by compilers that have no fuzzer; prints TAP. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name begins with a dot: the folder itself, its parent, and hidden files. */
static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    uint8_t *data = malloc(1 << 20);
    if (!data) {
        fclose(f);
        return 0;
    }
    size_t size = fread(data, 1, 1 << 20, f);
    fclose(f);
    /* An exact copy lets the address sanitizer see a read past the end. */
    uint8_t *exact = realloc(data, size ? size : 1);
    LLVMFuzzerTestOneInput(exact ? exact : data, size);
    free(exact ? exact : data);
    return 1;
}

int main(int argc, char **argv)
{
    struct dirent **entry = NULL;
    int n = argc > 1 ? scandir(argv[1], &entry, is_visible, alphasort) : 0;
    if (n < 0)
        n = 0;
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry[i]->d_name);
        int ok = run_file(path);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", i + 1, entry[i]->d_name);
        fflush(stdout);
        free(entry[i]);
    }
    free(entry);
    return 0;
}
