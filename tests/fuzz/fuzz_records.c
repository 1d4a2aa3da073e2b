/* fuzz_records.c - rows of labelled data: whatever the bytes, there are rows of text with a place,
 * or an error. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "tasks/data/records.h"

/* The first byte says which format, and whether there is a header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"x.tsv", "x.csv", "x.jsonl"};
    if (size == 0)
        return 0;
    ThTaskRecordShape shape = {.path = paths[*data % 3],
                               .input = "input",
                               .label = "label",
                               .header = (ThTaskHeader)(*data / 3 % 3)};
    char *text = th_alloc(size, 1, NULL); /* a zero byte more than there is */
    if (text)
        memcpy(text, data + 1, size - 1);
    ThTaskRecords r = {0};
    ThError err = {0};
    bool ok = text && th_task_records_parse(&r, text, size - 1, &shape, &err);
    require(ok == (err.code == TH_OK) || !text);
    for (size_t i = 0; i < r.n; i++) {
        const ThTaskRecord *row = &r.item[i];
        require(row->line >= 1 && row->input_col >= 1 && row->label_col >= 1);
        require(th_utf8_valid(row->input, strlen(row->input)));
        require(th_utf8_valid(row->label, strlen(row->label)));
    }
    th_task_records_free(&r);
    free(text);
    return 0;
}
