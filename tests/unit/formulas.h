/* formulas.h - formulas of task logical_inference, read without its reader.  After cmocka.h.
 */
#ifndef TEST_UNIT_FORMULAS_H
#define TEST_UNIT_FORMULAS_H

#include <stdbool.h>

enum { OPEN_BRACKET, CLOSE_BRACKET, FIRST_VARIABLE, AND = 8, OR, NOT, BETWEEN };

/* Reads a formula from *at on, which it moves behind it, under an assignment, one bit a variable;
 * counts its operators. */
static bool formula_holds(const int **at, int assignment, int *operators)
{
    if (**at != OPEN_BRACKET)
        return assignment >> (*(*at)++ - FIRST_VARIABLE) & 1;
    ++*at;
    ++*operators;
    if (**at == NOT) {
        ++*at;
        bool not = !formula_holds(at, assignment, operators);
        assert_int_equal(*(*at)++, CLOSE_BRACKET);
        return not ;
    }
    bool left = formula_holds(at, assignment, operators);
    assert_int_equal(*(*at)++, OPEN_BRACKET);
    int operation = *(*at)++;
    assert_true(operation == AND || operation == OR);
    bool right = formula_holds(at, assignment, operators);
    assert_int_equal(*(*at)++, CLOSE_BRACKET);
    assert_int_equal(*(*at)++, CLOSE_BRACKET);
    return operation == AND ? left && right : left || right;
}

#endif
