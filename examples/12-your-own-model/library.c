/* Define a language, minimise its automaton, train a model on it, and see how far it is right.
 *
 *     cc library.c $(pkg-config --cflags --libs tapehead) -o library && ./library
 */
#include <stdio.h>
#include <tapehead/tapehead.h>

static bool train(ThModel *m, const ThTask *t, ThError *err)
{
    ThOptions o = {0};
    ThTrainer *tr = NULL;
    bool ok = th_options_init(&o, th_train_options, err) &&
              th_options_set_int(&o, "steps", 300, err) &&
              th_options_set_real(&o, "lr", 2e-3, err) &&
              th_options_set(&o, "curriculum", "adaptive", err) &&
              (tr = th_trainer_new(m, t, &o, 1, err));
    while (ok && !th_trainer_done(tr))
        ok = th_trainer_step(tr, err);
    th_trainer_free(tr);
    th_options_free(&o);
    return ok;
}

int main(void)
{
    ThError err = {0};
    ThOptions size = {0};
    ThScore score = {0};
    ThAutomaton *a = th_regex_automaton("(b*ab*a)*b*", NULL, 0, 0, NULL, &err);
    ThAutomaton *minimal = a ? th_automaton_minimize(a, 0, NULL, &err) : NULL;
    ThTaskSource from = {.automaton = minimal};
    ThTask *t = minimal ? th_task_new(th_task_kind("recognize"), NULL, &from, &err) : NULL;
    const ThModelKind *kind = th_model_kind("regulargpt");
    ThModel *m =
        th_options_init(&size, kind->options, &err) ? th_model_new(kind, &size, &err) : NULL;
    ThEvaluator *e = NULL;
    if (t && m && train(m, t, &err) && (e = th_evaluator_new(m, t, 1, 1, &err)) &&
        th_evaluator_length(e, 200, 256, &score, &err))
        printf("%d states; accuracy at length %d: %.3f\n", minimal->n_states, score.length,
               score.accuracy);
    else
        fprintf(stderr, "error: %s\n", err.msg);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
    th_options_free(&size);
    th_automaton_free(minimal);
    th_automaton_free(a);
    return err.code == TH_OK ? 0 : 1;
}
