/* weights_text.c - `help weights`: what becomes of the weights of other programs. */
#include "help/help.h"

void sh_help_exchange(ShDocument *d)
{
    size_t n;
    const ThFormatLayout *l = th_format_layouts(&n);
    for (size_t i = 0; i < n; i++) {
        ThText lead = {0};
        th_text_printf(&lead, "kind=%s, %s, is here %s %s%s%s:", l[i].kind, l[i].module, l[i].model,
                       l[i].options, l[i].out && *l[i].out ? "; as=pytorch with " : "",
                       l[i].out ? l[i].out : "");
        sh_document_gap(d);
        sh_document_lead(d, lead.data ? lead.data : l[i].kind);
        th_text_free(&lead);
        for (const ThFormatRow *const *list = l[i].rows; *list; list++)
            for (const ThFormatRow *r = *list; r->parameter; r++) {
                ThText name = {0}, what = {0};
                th_text_printf(&name, "%s %s", r->tensor, r->shape);
                th_text_printf(&what, "%s%s%s%s%s", r->parameter, r->blocks ? ", blocks " : "",
                               r->blocks ? r->blocks : "",
                               r->flags & TH_FORMAT_ADDED ? ", added" : "",
                               r->flags & TH_FORMAT_EMBEDDED ? ", times the embeddings" : "");
                sh_document_term(d, name.data ? name.data : r->tensor, th_text_string(&what));
                th_text_free(&name);
                th_text_free(&what);
            }
    }
}
