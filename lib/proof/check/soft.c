/* Soft attention that is so steep that it sees one position.  What hard.c goes through is what hard
 * attention would see: the latest key with the greatest score by its content, or the position
 * before.  Here it is shown of weights, scores and positions that soft attention sees it to less
 * than 1/4, and that nothing but pairs of units, which make 0 or 1 of that, reads it. */
#include <math.h>

#include "proof/check/hard_impl.h"
#include "proof/rounding.h"

typedef ThProofHardLayer Layer;
typedef ThProofHardRun Hard;

static const double MOST_OFF = 0.25;
static const double EXACT = 1 << 20;      /* a position's number is this, at most, */
static const double MOST_SCORE = 1 << 19; /* and what a score's products come to */

/* What a column of a head's values is, beside the score of the key by its content. */
typedef struct {
    int n;
    ThProofSeen first; /* at the beginning */
    ThProofSeen *at;   /* (n): at other positions */
    double spread, size;
} Pairs;

/* ---- by weights alone ------------------------------------------------------------------------ */

/* Coordinates of a position's numbers are written by nothing else, and read by scores alone. */
static bool find_placed(Hard *k)
{
    enum { MOST_PLACED = 4, MOST_LONGEST = 8193 };
    int placed = 0;
    if (k->longest > MOST_LONGEST)
        return th_proof_hard_refuse(k, "there are more than %d positions", MOST_LONGEST);
    for (int i = 0; i < k->longest * k->dim; i++)
        if (!(fabs(k->position[i]) <= EXACT))
            return th_proof_hard_refuse(k, "a position has a large number");
    for (int c = 0; c < k->dim; c++) {
        k->placed[c] = !th_proof_hard_is_zero(k->position, k->longest, k->dim, c, 1);
        bool good = th_proof_hard_is_zero(k->embedding, k->symbols + 1, k->dim, c, 1) &&
                    th_proof_hard_is_zero(k->head + c * k->classes, 1, 0, 0, k->classes);
        for (int i = 0; i < k->layers; i++) {
            const Layer *l = &k->layer[i];
            const double *kv = l->key_value + c * 2 * k->dim;
            good = good && th_proof_hard_is_zero(kv + k->dim, 1, 0, 0, k->dim) &&
                   th_proof_hard_is_zero(l->output, k->dim, k->dim, c, 1) &&
                   th_proof_hard_is_zero(l->down, k->hidden, k->dim, c, 1) &&
                   th_proof_hard_is_zero(l->up + c * k->hidden, 1, 0, 0, k->hidden) &&
                   l->output_bias[c] == 0 && l->down_bias[c] == 0;
        }
        placed += k->placed[c];
        if (k->placed[c] && !good)
            return th_proof_hard_refuse(k, "numbers of positions are mixed with others");
    }
    return placed <= MOST_PLACED ||
           th_proof_hard_refuse(k, "a position has more than %d numbers", MOST_PLACED);
}

/* Are columns of a matrix zero but for (not for) what positions have? */
static bool is_of(const Hard *k, const double *matrix, int cols, int first, bool positions)
{
    for (int c = 0; c < k->dim; c++)
        if (k->placed[c] != positions &&
            !th_proof_hard_is_zero(matrix + c * cols, 1, 0, first, k->width))
            return false;
    return true;
}

static bool sort_heads(Hard *k, Layer *l)
{
    for (int h = 0; h < k->heads; h++) {
        int first = h * k->width;
        bool fixed = th_proof_hard_is_zero(l->query, k->dim, k->dim, first, k->width);
        l->task[h] = fixed ? TH_PROOF_HARD_LATEST : TH_PROOF_HARD_BEFORE;
        if (!fixed && !(th_proof_hard_is_zero(l->key_value_bias, 1, 0, first, k->width) &&
                        is_of(k, l->query, k->dim, first, true) &&
                        is_of(k, l->key_value, 2 * k->dim, first, true)))
            return th_proof_hard_refuse(k, "what a head looks at depends on its query");
    }
    return true;
}

/* Do units u and u + 1 read this coordinate alone, as 2 x - 1/2 and 2 x - 3/2, and does all that
 * reads one of them read their difference, and nothing besides?  From 3/4 to 5/4 that is 1, up to
 * 1/4 it is 0, and no sum rounds. */
static bool is_pair(const Hard *k, const Layer *l, int coordinate, int u)
{
    const double *down = l->down + u * k->dim;
    bool is = u + 1 < k->hidden && l->up_bias[u] == -0.5 && l->up_bias[u + 1] == -1.5;
    for (int c = 0; is && c < k->dim; c++) {
        double reads = c == coordinate ? 2 : 0;
        is = l->up[c * k->hidden + u] == reads && l->up[c * k->hidden + u + 1] == reads;
        if (is && (down[c] != 0 || down[k->dim + c] != 0)) {
            is = fabs(down[c]) == 1 && down[k->dim + c] == -down[c] && l->down_bias[c] == 0;
            for (int v = 0; is && v < k->hidden; v++)
                is = v == u || v == u + 1 || l->down[v * k->dim + c] == 0;
        }
    }
    return is;
}

/* What heads see goes to coordinates of its own, which are read by pairs alone. */
static bool find_seen(Hard *k, int layer, int c)
{
    const Layer *l = &k->layer[layer];
    for (int i = 0; i < k->dim; i++) {
        double w = l->output[i * k->dim + c];
        if (w == 0)
            continue;
        if (w != 1 || k->seen_by[c] >= 0)
            return th_proof_hard_refuse(k, "what a head sees is added to other numbers");
        k->seen_by[c] = layer * k->dim + i;
    }
    return true;
}

static bool is_alone(const Hard *k, int c)
{
    bool alone = th_proof_hard_is_zero(k->embedding, k->symbols + 1, k->dim, c, 1) &&
                 th_proof_hard_is_zero(k->head + c * k->classes, 1, 0, 0, k->classes);
    for (int i = 0; alone && i < k->layers; i++) {
        const Layer *l = &k->layer[i];
        alone = th_proof_hard_is_zero(l->key_value + c * 2 * k->dim, 1, 0, 0, 2 * k->dim) &&
                th_proof_hard_is_zero(l->query + c * k->dim, 1, 0, 0, k->dim) &&
                th_proof_hard_is_zero(l->down, k->hidden, k->dim, c, 1) && l->output_bias[c] == 0 &&
                l->down_bias[c] == 0;
        for (int u = 0; alone && u < k->hidden; u++) {
            bool read = l->up[c * k->hidden + u] != 0;
            alone = !read || is_pair(k, l, c, u) || (u > 0 && is_pair(k, l, c, u - 1));
        }
    }
    return alone;
}

bool th_proof_soft_sort(Hard *k)
{
    memset(k->seen, 0, (size_t)(k->layers * k->dim) * TH_PROOF_SEEN * sizeof *k->seen);
    double root = sqrt(k->width);
    if (root != floor(root) || exp2(floor(log2(root))) != root)
        return th_proof_hard_refuse(k, "scores are divided by a root, and round");
    if (!find_placed(k))
        return false;
    for (int i = 0; i < k->layers; i++)
        if (!sort_heads(k, &k->layer[i]))
            return false;
    for (int c = 0; c < k->dim; c++) {
        k->seen_by[c] = -1;
        for (int i = 0; i < k->layers; i++)
            if (!find_seen(k, i, c))
                return false;
        if (k->seen_by[c] >= 0 && !is_alone(k, c))
            return th_proof_hard_refuse(k, "what a head sees is read by more than pairs of units");
    }
    return true;
}

void th_proof_soft_note(Hard *k, int layer, int head, bool first, double score, const double *value)
{
    for (int c = 0; c < k->width; c++) {
        ThProofSeen *all = k->seen + (layer * k->dim + head * k->width + c) * TH_PROOF_SEEN;
        int n = (int)all[0].score, i = 2;
        if (first)
            all[1] = (ThProofSeen){score, value[c]};
        while (i < 2 + n && !(all[i].score == score && all[i].value == value[c]))
            i++;
        if (first || i < 2 + n)
            continue;
        if (i == TH_PROOF_SEEN) {
            th_proof_hard_refuse(k, "a head's keys and values are more than %d", i - 2);
            return;
        }
        all[i] = (ThProofSeen){score, value[c]};
        all[0].score++;
    }
}

static Pairs pairs_of(const Hard *k, int column)
{
    ThProofSeen *all = k->seen + column * TH_PROOF_SEEN;
    Pairs p = {.n = (int)all[0].score, .first = all[1], .at = all + 2};
    double least = p.first.value, most = least;
    for (int i = 0; i < p.n; i++) {
        least = fmin(least, p.at[i].value);
        most = fmax(most, p.at[i].value);
    }
    p.spread = most - least;
    p.size = fmax(fabs(least), fabs(most));
    return p;
}

/* ---- weights on other positions -------------------------------------------------------------- */

/* to (longest, width) <- what positions add to the queries or keys of a head. */
static bool by_position(Hard *k, const double *matrix, int cols, int first, double *to)
{
    for (int i = 0; i < k->longest; i++)
        for (int c = 0; c < k->width; c++)
            to[i * k->width + c] = 0;
    for (int p = 0; p < k->dim; p++)
        for (int c = 0; k->placed[p] && c < k->width; c++)
            for (int i = 0; matrix[p * cols + first + c] != 0 && i < k->longest; i++)
                to[i * k->width + c] += th_proof_hard_product(k, k->position + i * k->dim + p, 1,
                                                              matrix + p * cols, 1, first + c, 0);
    return k->fits;
}

/* The score of a query and what positions add to a key.  Products of multiples of 1/4 are those of
 * 1/16: with what content adds to them, which hard.c bounds by half as much, no sum of them has
 * more digits than a float. */
static double score_of(Hard *k, const double *query, const double *key)
{
    double sum = 0, size = 0;
    bool grid = true;
    for (int c = 0; c < k->width; c++) {
        grid = grid && th_proof_hard_on_grid(query[c]) && th_proof_hard_on_grid(key[c]);
        sum += query[c] * key[c];
        size += fabs(query[c] * key[c]);
    }
    if (!grid || size > MOST_SCORE)
        th_proof_hard_refuse(k, "a score is no multiple of 1/4, or large: it may round");
    return sum / sqrt(k->width);
}

/* others (longest) <- the weight of all other positions beside that of the one before, at most of
 * all up to there. */
static bool weigh_before(Hard *k, const double *query, const double *key, ThStop *stop,
                         double *others)
{
    const double far = -80;
    others[0] = 0;
    for (int i = 1; i < k->longest; i++) {
        double sum = 0, own = score_of(k, query + i * k->width, key + (i - 1) * k->width);
        for (int j = 0; j <= i; j++) {
            double s = j == i - 1 ? 0 : score_of(k, query + i * k->width, key + j * k->width);
            sum += j == i - 1 ? 0 : exp(fmax(s - own, far));
        }
        others[i] = fmax(others[i - 1], sum);
        if (!k->fits || (i % 64 == 0 && th_stopped(stop, k->err)))
            return false;
    }
    return true;
}

static double log_sum(double a, double b)
{
    double most = fmax(a, b);
    return isinf(most) ? most : most + log1p(exp(fmin(a, b) - most));
}

/* The logarithm of how much other values differ from that of pair `of`, each times its weight
 * beside it, at most: of those with at most its score, or, later ones, with less. */
static double differ(const Pairs *p, const ThProofSeen *of, bool later, double root)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < p->n; i++) {
        double less = (of->score - p->at[i].score) / root;
        if (later ? less > 0 : less >= 0)
            most = fmax(most, log(fabs(p->at[i].value - of->value)) - less);
    }
    return most;
}

/* The most that others pull, up to position n, at the value of the latest key with the greatest
 * score: sums of weights beside its own, times how much values differ.  by: of scores, the part
 * that is by position; later (n + 1) is room. */
static double weigh_latest(const Pairs *p, const double *by, int n, double root, double *later)
{
    double most = -HUGE_VAL;
    later[n] = -HUGE_VAL;
    for (int i = n - 1; i >= 0; i--)
        later[i] = log_sum(later[i + 1], 0) + by[i + 1] - by[i];
    for (int w = 0; w <= p->n; w++) {
        const ThProofSeen *of = w < p->n ? &p->at[w] : &p->first;
        double before = differ(p, of, false, root), behind = differ(p, of, true, root);
        double first = log(fabs(p->first.value - of->value)) + (p->first.score - of->score) / root;
        double earlier = -HUGE_VAL;
        for (int i = w < p->n; i <= (w < p->n ? n : 0); i++) {
            earlier = i > 1 ? log_sum(earlier, 0) + by[i - 1] - by[i] : earlier;
            double all = log_sum(earlier + before, later[i] + behind);
            bool begun = i > 0 && p->first.score <= of->score;
            most = fmax(most, begun ? log_sum(all, first + by[0] - by[i]) : all);
        }
    }
    return exp(most);
}

/* What a head is off by up to length n, where others pull by so much: differences are `spread` at
 * most, and no value is greater than `size`; unit 0: in real numbers.  Exponentials are taken of
 * whole scores less their greatest, to -80 at least. */
static double off_by(double pull, double spread, double size, int n, double unit)
{
    const double logit = 80;
    double more = 1 + 1e-9 + 2 * th_proof_gamma(unit, 24 + 8 * logit);
    pull = pull * more + spread * n * exp(-logit);
    return spread / (spread / pull + 1) + 2 * size * th_proof_gamma(unit, 2 * n + 48 + 8 * logit);
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* What a coordinate that a head is seen as is found from. */
typedef struct {
    bool before;
    double *others;     /* (longest): BEFORE */
    double *by, *later; /* (longest): LATEST; the part of scores that is by position */
    double root;
    Pairs pairs;
} Seen;

static double off_at(const Seen *s, int n, double unit)
{
    const Pairs *p = &s->pairs;
    if (p->spread == 0)
        return 2 * p->size * th_proof_gamma(unit, 2 * n + 48);
    double pull =
        s->before ? p->spread * s->others[n] : weigh_latest(p, s->by, n, s->root, s->later);
    return off_by(pull, p->spread, p->size, n, unit);
}

/* The longest strings of which it is less than 1/4: it grows with them. */
static int longest_right(const Seen *s, int most, double unit)
{
    int least = 0;
    while (least < most) {
        int middle = least + (most - least + 1) / 2;
        if (off_at(s, middle, unit) < MOST_OFF * (1 - 1e-6))
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

/* Fills in what is needed of the head that a coordinate is seen by. */
static bool look_at(Hard *k, int seen_by, double *room, ThStop *stop, Seen *s)
{
    const size_t rows = (size_t)k->longest, width = (size_t)k->width;
    int layer = seen_by / k->dim, column = seen_by % k->dim, head = column / k->width;
    const Layer *l = &k->layer[layer];
    double *query = room + 3 * rows, *key = query + rows * width;
    const double *bias = l->query_bias + head * k->width;
    *s = (Seen){.before = l->task[head] == TH_PROOF_HARD_BEFORE,
                .others = room,
                .by = room + rows,
                .later = room + 2 * rows,
                .root = sqrt(k->width),
                .pairs = pairs_of(k, seen_by)};
    if (!by_position(k, l->key_value, 2 * k->dim, head * k->width, key) ||
        !by_position(k, l->query, k->dim, head * k->width, query))
        return false;
    for (int i = 0; i < k->longest; i++) {
        for (int c = 0; c < k->width; c++)
            query[i * k->width + c] += bias[c];
        s->by[i] = score_of(k, query + i * k->width, key + i * k->width);
    }
    return k->fits && (!s->before || weigh_before(k, query, key, stop, s->others));
}

bool th_proof_soft_lengths(Hard *k, ThStop *stop, double length[3], double *off)
{
    static const double unit[] = {0, 0x1p-53, 0x1p-24};
    int most = k->longest - 1;
    double *room TH_OWNED(free) =
        th_alloc((size_t)k->longest * (3 + 2 * (size_t)k->width), sizeof *room, k->err);
    bool ok = room != NULL;
    *off = 0;
    for (int i = 0; i < 3; i++)
        length[i] = most;
    for (int turn = 0; turn < 2; turn++)
        for (int c = 0; ok && c < k->dim; c++) {
            Seen s;
            if (k->seen_by[c] < 0)
                continue;
            ok = look_at(k, k->seen_by[c], room, stop, &s);
            for (int i = 0; ok && turn == 0 && i < 3; i++)
                length[i] = longest_right(&s, (int)length[i], unit[i]);
            *off = ok && turn == 1 ? fmax(*off, off_at(&s, (int)length[0], 0)) : *off;
        }
    return ok;
}
