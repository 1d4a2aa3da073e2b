/* execute.c - what each statement does. */

#include "rasp/interpret/interp.h"

static const ThRaspNode *at(const ThRaspFrame *f, int32_t node)
{
    return &f->program->tree.node[node];
}

/* Notes something to be shown once the statement has succeeded. */
bool th_rasp_to_show(ThRasp *r, ThRaspShownAs as, uint32_t name, ThRaspValue v)
{
    if (!r->host.show)
        return true;
    return TH_APPEND(r->shown, r->n_shown, r->cap_shown, r->err,
                     (ThRaspToShow){as, name, th_rasp_retain(v)});
}

static bool to_show(ThRasp *r, const ThRaspFrame *f, ThRaspShownAs as, uint32_t name, ThRaspValue v)
{
    return r->plain > 0 || f->scope != r->global || th_rasp_to_show(r, as, name, v);
}

static bool do_expression(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t e = at(f, node)->first;
    uint32_t out = 0, name;
    ThRaspValue v = {0};
    if (!th_rasp_eval(r, f, e, &v))
        return false;
    bool ok = th_rasp_name_id(r, "out", &out);
    name = at(f, e)->kind == TH_RASP_R_NAME ? (uint32_t)at(f, e)->number.integer : out;
    bool applied = v.kind == TH_RASP_VALUE_SEQUENCE || v.kind == TH_RASP_VALUE_GRID;
    th_rasp_here(r, f, node);
    ok = ok && (!th_rasp_is_global(r, f->scope) || th_rasp_check(r, &v)) &&
         to_show(r, f, applied ? TH_RASP_SHOWN_APPLICATION : TH_RASP_SHOWN_RESULT, name, v);
    if (ok && th_rasp_is_global(r, f->scope))
        return th_rasp_set_global(r, f->scope, out, v);
    th_rasp_release(&r->heap, v);
    return ok;
}

/* The expressions of a TH_RASP_R_VALUES: one value, or a list of several. */
static bool values_of(ThRasp *r, const ThRaspFrame *f, int32_t values, ThRaspValue *v)
{
    int32_t first = at(f, values)->first;
    return at(f, first)->next < 0 ? th_rasp_eval(r, f, first, v)
                                  : th_rasp_eval_list(r, f, first, v);
}

/* The values right of `=`, as many as there are names: new values in *v, *n of them. */
static bool right_side(ThRasp *r, const ThRaspFrame *f, int32_t values, size_t wanted,
                       ThRaspValue *v, size_t *n)
{
    size_t given = th_rasp_siblings(f, at(f, values)->first);
    ThRaspValue list = {0};
    bool ok = true;
    for (int32_t e = at(f, values)->first; ok && given == wanted && e >= 0; e = at(f, e)->next)
        ok = th_rasp_eval(r, f, e, &v[*n]) && ++*n;
    if (!ok || given == wanted)
        return ok;
    if (wanted == 1)
        return values_of(r, f, values, v) && ++*n;
    if (given > 1) {
        th_rasp_here(r, f, values);
        return th_rasp_error(r, TH_EVALUE, "%zu names cannot take %zu values", wanted, given);
    }
    if (!th_rasp_eval(r, f, at(f, values)->first, &list))
        return false;
    if (!th_rasp_is_list(&list) || th_rasp_length(&list) != wanted) {
        th_rasp_here(r, f, values);
        if (th_rasp_is_list(&list))
            ok = th_rasp_error(r, TH_EVALUE, "%zu names cannot take a list of %zu values", wanted,
                               th_rasp_length(&list));
        else
            ok = th_rasp_error(r, TH_EVALUE, "%zu names cannot take %s", wanted,
                               th_rasp_what(&list));
    }
    for (size_t i = 0; ok && i < wanted; i++)
        v[(*n)++] = th_rasp_retain(th_rasp_element(&list, i));
    th_rasp_release(&r->heap, list);
    return ok;
}

static bool do_assign(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t names = at(f, node)->first, values = at(f, names)->next;
    size_t wanted = th_rasp_siblings(f, at(f, names)->first), n = 0, i = 0;
    ThRaspValue *v TH_OWNED(free) = th_alloc(wanted, sizeof *v, r->err);
    if (!v)
        return false;
    bool ok = right_side(r, f, values, wanted, v, &n);
    for (int32_t name = at(f, names)->first; ok && name >= 0; name = at(f, name)->next, i++) {
        ok = to_show(r, f, TH_RASP_SHOWN_RESULT, (uint32_t)at(f, name)->number.integer, v[i]);
        if (ok)
            ok = th_rasp_bind(r, f, name, v[i]);
        else
            th_rasp_release(&r->heap, v[i]);
    }
    while (i < n)
        th_rasp_release(&r->heap, v[i++]);
    return ok;
}

static bool do_definition(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    const char *name = th_rasp_text(&f->program->tree, node);
    uint32_t id = (uint32_t)at(f, node)->number.integer;
    ThRaspValue v = {0};
    for (int32_t p = at(f, at(f, node)->first)->first; p >= 0; p = at(f, p)->next) {
        const char *parameter = th_rasp_text(&f->program->tree, p);
        th_rasp_here(r, f, p);
        if (th_rasp_is_reserved(parameter) && !f->program->library)
            return th_rasp_error(r, TH_EVALUE, "'%s' is a reserved name", parameter);
    }
    if (!th_rasp_new_function(r, f, node, name, &v))
        return false;
    if (!to_show(r, f, TH_RASP_SHOWN_RESULT, id, v)) {
        th_rasp_release(&r->heap, v);
        return false;
    }
    return th_rasp_bind(r, f, node, v);
}

static bool loop_body(ThRasp *r, const ThRaspFrame *f, void *context)
{
    const int32_t *body = context;
    return th_rasp_block(r, f, *body, NULL);
}

static bool do_for(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t names = at(f, node)->first, list_node = at(f, names)->next;
    int32_t body = at(f, list_node)->next;
    ThRaspValue list = {0};
    if (!th_rasp_eval(r, f, list_node, &list))
        return false;
    th_rasp_here(r, f, list_node);
    r->plain++;
    bool ok = th_rasp_each(r, f, names, list, loop_body, &body);
    r->plain--;
    th_rasp_release(&r->heap, list);
    return ok;
}

static bool do_draw(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t e = at(f, node)->first, input_node = at(f, e)->next;
    ThRaspValue sop, input, v = {0};
    uint32_t out = 0;
    if (!th_rasp_eval(r, f, e, &sop))
        return false;
    bool ok = input_node < 0 || th_rasp_eval(r, f, input_node, &input);
    if (ok && input_node < 0)
        input = th_rasp_retain(r->example[0].value);
    if (ok) {
        th_rasp_here(r, f, node);
        if (sop.kind != TH_RASP_VALUE_SOP || (input_node >= 0 && at(f, input_node)->next >= 0))
            ok = th_rasp_error(r, TH_EVALUE, "draw takes an s-op, and perhaps an input");
        ok = ok && th_rasp_on_input(r, &sop, &input, &v) && th_rasp_name_id(r, "out", &out) &&
             to_show(r, f, TH_RASP_SHOWN_APPLICATION, out, v);
        ThRaspRun *run TH_OWNED(th_rasp_run_free) =
            ok && r->host.draw ? th_rasp_run_on(r, &input, r->err) : NULL;
        if (ok && r->host.draw)
            ok = run && r->host.draw(r->host.context, sop.as.sop, th_rasp_run_input(run), r->err);
        th_rasp_release(&r->heap, v);
        th_rasp_release(&r->heap, input);
    }
    th_rasp_release(&r->heap, sop);
    return ok;
}

static bool do_load(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    if (!th_rasp_is_global(r, f->scope) || r->plain > 0)
        return th_rasp_error(r, TH_EVALUE, "load stands outside of functions and loops");
    return th_rasp_load_file(r, th_rasp_text(&f->program->tree, node), f->scope);
}

static bool put_example(ThRasp *r, int which, ThRaspValue v)
{
    ThRaspExample *e = &r->example[which];
    ThRaspRun *run = th_rasp_run_on(r, &v, r->err);
    if (!run)
        return false;
    th_rasp_run_free(e->run);
    th_rasp_release(&r->heap, e->value);
    e->run = run;
    e->value = th_rasp_retain(v);
    return true;
}

ThRaspManner th_rasp_manner(ThRasp *r)
{
    ThRaspManner m = {.full_display = r->full_display};
    for (int i = 0; i < 2; i++) {
        m.value[i] = th_rasp_retain(r->example[i].value);
        m.on[i] = r->example[i].on;
    }
    return m;
}

void th_rasp_manner_end(ThRasp *r, ThRaspManner *before, bool back)
{
    ThError ignored = {0}, *err = r->err;
    r->err = &ignored;
    for (int i = 0; i < 2; i++) {
        if (back)
            put_example(r, i, before->value[i]);
        r->example[i].on = back ? before->on[i] : r->example[i].on;
        th_rasp_release(&r->heap, before->value[i]);
    }
    r->full_display = back ? before->full_display : r->full_display;
    r->err = err;
}

static bool set_example(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    ThRaspValue v = {0};
    if (!th_rasp_eval(r, f, at(f, node)->first, &v))
        return false;
    th_rasp_here(r, f, node);
    bool ok = true;
    for (int i = 0; ok && i < 2; i++)
        if (at(f, node)->op & 1 << i)
            ok = put_example(r, i, v);
    th_rasp_release(&r->heap, v);
    return ok;
}

/* Also where a file asks for it. */
static bool show_example(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    static const char *const names[] = {"s-op", "selector"};
    uint32_t id;
    for (int i = 0; i < 2; i++)
        if ((at(f, node)->op & 1 << i) &&
            !(th_rasp_name_id(r, names[i], &id) &&
              th_rasp_to_show(r, TH_RASP_SHOWN_EXAMPLE, id, r->example[i].value)))
            return false;
    return true;
}

static bool do_prompt(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    const ThRaspNode *n = at(f, node);
    switch (n->kind) {
    case TH_RASP_R_SET_EXAMPLE:
        return set_example(r, f, node);
    case TH_RASP_R_SHOW_EXAMPLE:
        return show_example(r, f, node);
    case TH_RASP_R_EXAMPLES:
        for (int i = 0; i < 2; i++)
            if (n->op & 1 << i)
                r->example[i].on = n->number.integer;
        return true;
    case TH_RASP_R_FULL_DISPLAY:
        r->full_display = n->number.integer;
        return true;
    default:
        r->quit = r->loads > 0;
        if (!r->quit && r->host.leave)
            r->host.leave(r->host.context);
        return true;
    }
}

bool th_rasp_do(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    th_rasp_here(r, f, node);
    switch (at(f, node)->kind) {
    case TH_RASP_R_EXPRESSION:
        return do_expression(r, f, node);
    case TH_RASP_R_ASSIGN:
        return do_assign(r, f, node);
    case TH_RASP_R_DEF:
        return do_definition(r, f, node);
    case TH_RASP_R_FOR:
        return do_for(r, f, node);
    case TH_RASP_R_DRAW:
        return do_draw(r, f, node);
    case TH_RASP_R_LOAD:
        return do_load(r, f, node);
    default:
        return do_prompt(r, f, node);
    }
}

bool th_rasp_block(ThRasp *r, const ThRaspFrame *f, int32_t block, ThRaspValue *returned)
{
    bool ok = true;
    r->plain++;
    for (int32_t s = at(f, block)->first; ok && s >= 0; s = at(f, s)->next)
        ok = returned && at(f, s)->kind == TH_RASP_R_RETURN
                 ? values_of(r, f, at(f, s)->first, returned)
                 : th_rasp_do(r, f, s);
    r->plain--;
    return ok;
}
