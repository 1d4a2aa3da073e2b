/* Groups told apart: all that are not commutative of some orders, and what each is called.
 *
 * Generators, as images of points, and figures of what has no name are GAP 4.12's (SmallGroup,
 * PrimitiveGroup, WreathProduct; Centre, NrConjugacyClasses, AbelianInvariants, DerivedSeries).
 * That a name means its group was asked of GAP's IdGroup, for all 910 of the 1,047 groups to order
 * 100 that have names; StructureDescription is no name in our sense, for C4 : C4 is said of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/group_structure.h"
#include "automata/algebra/group_names.h"

static const struct {
    int order, number; /* in GAP's library; 0: none of its SmallGroup */
    const char *name;  /* or, from ';', the end of the invariants */
    int points;
    const char *images;
} rows[] = {
    {6, 1, "S_3", 3, "1,2,0 0,2,1"},
    {8, 3, "D_4", 4, "0,3,2,1 1,0,3,2 2,3,0,1"},
    {8, 4, "Q_8", 8, "1,3,7,5,2,0,4,6 2,4,3,6,5,7,0,1"},
    {10, 1, "D_5", 5, "1,2,3,4,0 0,4,3,2,1"},
    {12, 1, "Q_12", 7, "0,2,1,4,5,6,3 1,2,0,3,4,5,6"},
    {12, 3, "A_4", 4, "0,2,3,1 1,0,3,2 2,3,0,1"},
    {12, 4, "D_6", 5, "0,1,3,4,2 0,1,2,4,3 1,0,2,3,4"},
    {14, 1, "D_7", 7, "1,2,3,4,5,6,0 0,6,5,4,3,2,1"},
    {16, 3, "(Z_2 x Z_4 : Z_2, r = 1 0, 1 1)", 8,
     "1,4,7,6,5,0,2,3 2,5,0,4,3,1,7,6 3,6,4,0,2,7,1,5"},
    {16, 4, "(Z_4 : Z_4, r = 3)", 12, "1,3,4,5,6,0,7,2,8,11,10,9 2,4,0,6,1,7,3,5,9,10,11,8"},
    {16, 6, "M_16", 8, "1,3,5,4,2,6,7,0 2,1,0,6,4,5,3,7"},
    {16, 7, "D_8", 8, "2,4,3,6,5,7,0,1 0,4,6,3,1,7,2,5 1,0,7,5,6,3,4,2"},
    {16, 8, "SD_16", 8, "1,3,7,4,0,2,5,6 2,5,3,6,7,4,0,1 2,4,0,6,1,5,3,7"},
    {16, 9, "Q_16", 16,
     "1,4,11,13,7,14,3,0,5,15,6,9,8,10,12,2 2,5,4,14,9,7,15,12,3,0,8,6,1,11,10,13 "
     "3,6,8,4,10,11,7,13,9,14,0,12,15,1,2,5"},
    {16, 11, "D_4 x Z_2", 6, "0,1,2,5,4,3 0,1,3,2,5,4 0,1,4,5,2,3 1,0,2,3,4,5"},
    {16, 12, "Q_8 x Z_2", 10, "0,1,3,5,9,7,4,2,6,8 0,1,4,6,5,8,7,9,2,3 1,0,2,3,4,5,6,7,8,9"},
    {16, 13, "(Z_2 x Z_4 : Z_2, r = 1 2, 0 1)", 8,
     "2,4,3,6,5,7,0,1 0,5,2,3,7,1,6,4 1,0,4,5,2,3,7,6"},
    {18, 1, "D_9", 9, "1,3,4,2,6,7,5,8,0 0,8,5,7,6,2,4,3,1"},
    {18, 3, "S_3 x Z_3", 6, "0,1,2,4,5,3 1,2,0,3,4,5 0,1,2,3,5,4"},
    {18, 4, "Dih(Z_3 x Z_3)", 6, "0,1,2,4,5,3 1,2,0,3,4,5 0,2,1,3,5,4"},
    {20, 1, "Q_20", 9, "1,2,3,4,0,5,6,7,8 0,4,3,2,1,6,7,8,5"},
    {20, 3, "F_20", 5, "1,2,3,4,0 0,2,4,1,3"},
    {20, 4, "D_10", 7, "0,1,3,4,5,6,2 0,1,2,6,5,4,3 1,0,2,3,4,5,6"},
    {21, 1, "F_21", 7, "1,2,3,4,5,6,0 0,2,4,6,1,3,5"},
    {22, 1, "D_11", 11, "1,2,3,4,5,6,7,8,9,10,0 0,10,9,8,7,6,5,4,3,2,1"},
    {24, 1, "(Z_3 : Z_8, r = 2)", 11, "0,2,1,4,5,7,8,6,9,10,3 1,2,0,3,4,5,6,7,8,9,10"},
    {24, 3, "SL(2,3)", 8, "1,3,7,5,2,0,4,6 2,4,3,6,5,7,0,1 0,2,4,3,1,6,7,5"},
    {24, 4, "Q_24", 14,
     "0,1,4,5,2,3,7,9,13,11,8,6,10,12 1,0,3,2,5,4,8,10,9,12,11,13,6,7 "
     "2,3,4,5,0,1,6,7,8,9,10,11,12,13"},
    {24, 5, "S_3 x Z_4", 10, "1,2,3,0,5,4,7,6,9,8 0,1,2,3,6,7,8,9,4,5 0,1,2,3,4,5,8,9,6,7"},
    {24, 6, "D_12", 10, "1,0,3,2,5,4,7,8,9,6 2,3,4,5,0,1,6,7,8,9 0,1,4,5,2,3,6,9,8,7"},
    {24, 7, "Q_12 x Z_2", 14,
     "0,1,3,4,6,11,2,12,13,7,9,8,10,5 0,1,5,7,8,9,10,11,12,2,13,3,4,6 "
     "1,0,2,3,4,5,6,7,8,9,10,11,12,13"},
    {24, 8, "(Z_3 : D_4, r = 2; 1)", 10,
     "2,3,4,5,0,1,6,7,8,9 0,1,2,3,4,5,8,9,6,7 0,1,4,5,2,3,6,9,8,7 1,0,3,2,5,4,7,6,9,8"},
    {24, 10, "D_4 x Z_3", 7, "1,2,0,3,4,5,6 0,1,2,3,6,5,4 0,1,2,4,3,6,5 0,1,2,5,6,3,4"},
    {24, 11, "Q_8 x Z_3", 11,
     "0,1,2,4,6,10,8,5,3,7,9 0,1,2,5,7,6,9,8,10,3,4 1,2,0,3,4,5,6,7,8,9,10"},
    {24, 12, "S_4", 4, "0,2,3,1 1,0,2,3"},
    {24, 13, "A_4 x Z_2", 8, "2,5,4,3,0,7,6,1 1,0,5,6,7,2,3,4 3,6,4,0,2,7,1,5 4,7,3,2,0,6,5,1"},
    {24, 14, "S_3 x Z_2 x Z_2", 8,
     "0,1,4,5,6,7,2,3 0,1,2,3,6,7,4,5 0,1,3,2,5,4,7,6 1,0,2,3,4,5,6,7"},
    {26, 1, "D_13", 13, "1,2,3,4,5,6,7,8,9,10,11,12,0 0,12,11,10,9,8,7,6,5,4,3,2,1"},
    {27, 3, "He_3", 9, "0,4,2,8,7,5,3,1,6 1,3,4,0,6,7,2,8,5 2,4,5,6,7,0,8,1,3"},
    {27, 4, "(Z_9 : Z_3, r = 4)", 9, "1,3,4,2,7,8,0,5,6 2,1,5,6,4,0,7,3,8"},
    {28, 1, "Q_28", 11, "1,2,3,4,5,6,0,7,8,9,10 0,6,5,4,3,2,1,8,9,10,7"},
    {28, 3, "D_14", 9, "0,1,3,4,5,6,7,8,2 0,1,2,8,7,6,5,4,3 1,0,2,3,4,5,6,7,8"},
    {30, 1, "S_3 x Z_5", 8, "1,2,3,4,0,5,6,7 0,1,2,3,4,6,7,5 0,1,2,3,4,5,7,6"},
    {30, 2, "D_5 x Z_3", 8, "0,1,2,4,5,6,7,3 1,2,0,3,4,5,6,7 0,1,2,3,7,6,5,4"},
    {30, 3, "D_15", 8, "1,2,3,4,0,5,6,7 0,1,2,3,4,6,7,5 0,4,3,2,1,5,7,6"},
    {32, 6, "(Z_2 x Z_4 : Z_4, r = 1 2, 1 1)", 8,
     "1,0,4,5,6,3,7,2 2,4,0,6,1,7,3,5 3,1,6,0,4,5,2,7 3,5,6,0,7,1,2,4"},
    {32, 50, "; 17 classes; centre 2; abelianisation Z_2 x Z_2 x Z_2 x Z_2; derived length 2", 16,
     "1,4,12,6,7,2,10,0,15,5,13,8,9,3,11,14 2,5,4,8,9,7,11,12,10,0,14,13,1,15,3,6 "
     "0,7,2,10,4,12,6,1,14,9,3,11,5,13,8,15 3,6,8,0,10,11,1,13,2,14,4,5,15,7,9,12"},
    {36, 1, "Q_36", 21,
     "1,3,4,5,6,7,0,8,2,12,14,15,16,17,18,19,9,20,10,11,13 "
     "0,6,5,4,3,2,1,8,7,10,11,13,18,9,19,20,14,16,15,17,12"},
    {36, 3, "(Z_2 x Z_2 : Z_9, r = 0 1, 1 1)", 18,
     "1,4,5,6,2,9,10,11,12,7,8,14,15,16,0,13,17,3 3,1,8,0,10,5,6,13,2,15,4,11,12,7,17,9,16,14 "
     "3,6,8,0,4,12,1,13,2,9,10,16,5,7,14,15,11,17"},
    {36, 4, "D_18", 11, "0,1,3,5,6,7,8,9,2,10,4 0,1,2,8,7,6,5,4,3,10,9 1,0,2,3,4,5,6,7,8,9,10"},
    {36, 6, "Q_12 x Z_3", 12,
     "1,3,4,5,8,0,11,6,9,2,7,10 2,4,7,8,6,9,1,0,11,10,5,3 2,6,7,8,1,10,4,0,11,5,9,3"},
    {36, 7, "(Z_3 : Q_12, r = 1; 2)", 15,
     "0,2,1,4,5,7,12,3,13,14,8,10,9,11,6 0,1,2,6,8,9,10,11,12,13,3,14,4,5,7 "
     "1,2,0,3,4,5,6,7,8,9,10,11,12,13,14"},
    {36, 9, "(Z_3 x Z_3 : Z_4, r = 0 1, 2 0)", 6, "1,0,5,2,3,4 2,1,4,3,0,5 2,3,4,5,0,1"},
    {36, 10, "S_3 x S_3", 9,
     "1,3,4,0,6,7,2,8,5 2,4,5,6,7,0,8,1,3 0,1,5,3,7,2,8,4,6 1,0,4,3,2,7,6,5,8"},
    {36, 11, "A_4 x Z_3", 7, "0,1,2,3,5,6,4 1,2,0,3,4,5,6 0,1,2,4,3,6,5 0,1,2,5,6,3,4"},
    {36, 12, "S_3 x Z_6", 9,
     "0,1,2,5,6,7,8,3,4 1,2,0,3,4,5,6,7,8 0,1,2,3,4,7,8,5,6 0,1,2,4,3,6,5,8,7"},
    {36, 13, "Dih(Z_3 x Z_3) x Z_2", 9,
     "0,1,2,5,6,7,8,3,4 1,2,0,3,4,5,6,7,8 0,1,2,4,3,6,5,8,7 0,2,1,3,4,7,8,5,6"},
    {40, 1, "(Z_5 : Z_8, r = 4)", 13, "0,4,3,2,1,6,7,9,10,8,11,12,5 1,2,3,4,0,5,6,7,8,9,10,11,12"},
    {40, 3, "(Z_5 : Z_8, r = 2)", 13, "0,2,4,1,3,6,7,9,10,8,11,12,5 1,2,3,4,0,5,6,7,8,9,10,11,12"},
    {40, 4, "Q_40", 18,
     "2,3,4,5,6,7,8,9,0,1,10,11,12,13,14,15,16,17 0,1,8,9,6,7,4,5,2,3,11,13,17,15,12,10,14,16 "
     "1,0,3,2,5,4,7,6,9,8,12,14,13,16,15,17,10,11"},
    {40, 5, "D_5 x Z_4", 14,
     "0,1,2,3,6,7,8,9,10,11,12,13,4,5 1,2,3,0,5,4,7,6,9,8,11,10,13,12 "
     "0,1,2,3,4,5,12,13,10,11,8,9,6,7"},
    {40, 6, "D_20", 14,
     "2,3,4,5,6,7,8,9,0,1,10,11,12,13 1,0,3,2,5,4,7,6,9,8,11,12,13,10 "
     "0,1,8,9,6,7,4,5,2,3,10,13,12,11"},
    {40, 7, "Q_20 x Z_2", 13,
     "1,2,3,4,0,5,6,7,8,9,10,11,12 0,4,3,2,1,6,8,9,10,11,5,12,7 0,1,2,3,4,7,9,5,11,6,12,8,10"},
    {40, 8, "(Z_5 : D_4, r = 4; 1)", 14,
     "2,3,4,5,6,7,8,9,0,1,10,11,12,13 0,1,2,3,4,5,6,7,8,9,12,13,10,11 "
     "0,1,8,9,6,7,4,5,2,3,10,13,12,11 1,0,3,2,5,4,7,6,9,8,11,10,13,12"},
    {40, 10, "D_4 x Z_5", 9,
     "1,2,3,4,0,5,6,7,8 0,1,2,3,4,5,8,7,6 0,1,2,3,4,6,5,8,7 0,1,2,3,4,7,8,5,6"},
    {40, 11, "Q_8 x Z_5", 13,
     "1,2,3,4,0,5,6,7,8,9,10,11,12 0,1,2,3,4,6,8,12,10,7,5,9,11 0,1,2,3,4,7,9,8,11,10,12,5,6"},
    {40, 12, "F_20 x Z_2", 10, "2,3,4,5,6,7,8,9,0,1 1,0,5,4,9,8,3,2,7,6 1,0,3,2,5,4,7,6,9,8"},
    {40, 13, "D_5 x Z_2 x Z_2", 12,
     "0,1,4,5,6,7,8,9,10,11,2,3 0,1,2,3,10,11,8,9,6,7,4,5 0,1,3,2,5,4,7,6,9,8,11,10 "
     "1,0,2,3,4,5,6,7,8,9,10,11"},
    {48, 5, "(Z_24 : Z_2, r = 5)", 20,
     "1,2,4,5,0,6,8,9,3,10,11,7,13,14,16,17,15,18,19,12 "
     "3,5,6,7,8,9,10,0,11,1,2,4,12,13,14,15,16,17,18,19 "
     "0,1,2,7,4,9,10,3,11,5,6,8,12,17,14,15,19,13,18,16"},
    {48, 6, "(Z_24 : Z_2, r = 11)", 20,
     "1,2,4,5,0,6,8,9,3,10,11,7,13,14,16,17,15,18,19,12 "
     "3,5,6,7,8,9,10,0,11,1,2,4,12,13,14,15,16,17,18,19 "
     "0,4,2,7,1,11,10,3,9,8,6,5,12,16,18,15,13,19,14,17"},
    {48, 13, "(Z_12 : Z_4, r = 11)", 22,
     "0,1,4,5,2,3,7,9,18,12,13,20,6,16,21,11,19,15,14,10,17,8 "
     "1,0,3,2,5,4,8,11,10,14,15,13,17,18,16,6,20,19,7,21,9,12 "
     "2,3,4,5,0,1,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"},
    {48, 28, "; 8 classes; centre 2; abelianisation Z_2; derived length 4", 16,
     "0,1,11,10,4,15,14,7,2,3,9,8,5,6,13,12 5,9,14,7,13,8,0,2,15,12,6,1,3,10,11,4"},
    {48, 29, "GL(2,3)", 8, "0,7,6,3,1,2,5,4 1,6,3,5,7,4,2,0"},
    {48, 30, "(Z_2 x Z_2 : Q_12, r = 0 1, 1 1; 0 1, 1 0)", 10,
     "0,1,2,3,9,6,8,4,5,7 3,2,0,1,6,9,8,4,7,5"},
    {48, 33, "; 14 classes; centre 4; abelianisation Z_6; derived length 3", 16,
     "1,5,6,7,8,9,11,12,10,0,13,14,15,4,2,3 3,7,10,5,2,12,13,9,6,15,11,4,0,14,8,1 "
     "4,8,3,11,5,10,7,14,9,13,0,12,2,1,15,6 2,6,4,3,0,11,8,7,1,14,5,10,12,9,13,15"},
    {48, 38, "D_4 x S_3", 12,
     "3,5,6,7,8,9,10,0,11,1,2,4 0,1,2,7,4,9,10,3,11,5,6,8 1,0,4,5,2,3,8,9,6,7,11,10 "
     "2,1,0,6,4,5,3,10,8,9,7,11 2,4,0,6,1,8,3,10,5,11,7,9"},
    {56, 0, "AGL(1,8)", 8, "6,3,1,4,5,0,2,7 0,5,7,2,3,6,4,1"},
    {64, 134, "(Z_4 x Z_4 : Z_2 x Z_2, r = 0 1, 1 0; 0 3, 3 0)", 16,
     "3,6,8,4,10,11,7,13,9,14,0,12,15,1,2,5 0,6,9,10,4,15,1,13,8,2,3,12,11,7,14,5 "
     "1,0,5,13,7,2,10,4,15,12,6,14,9,3,11,8 2,5,0,14,9,1,15,12,10,4,8,13,7,11,3,6 "
     "4,1,9,10,0,5,6,7,14,2,3,11,12,13,8,15"},
    {72, 39, "AGL(1,9)", 9, "4,3,2,5,6,7,8,0,1 4,7,5,1,8,6,2,3,0 5,4,7,0,6,3,1,8,2"},
    {72, 40, "S_3 wr Z_2", 6, "0,1,2,5,4,3 3,0,5,2,1,4"},
    {125, 0, "He_5", 125,
     "110,116,76,119,70,90,122,39,95,56,86,30,89,55,105,72,98,59,109,77,100,44,103,9,49,16,108,75,"
     "115,91,57,21,80,118,96,60,113,15,65,26,52,19,69,31,73,35,94,121,106,78,38,10,123,25,81,40,68,"
     "29,85,45,17,2,34,88,50,92,54,20,124,97,58,22,84,43,99,61,27,5,48,102,66,32,8,0,104,107,74,36,"
     "111,79,41,11,64,112,82,46,14,1,114,51,18,3,117,93,37,62,24,4,120,67,28,6,71,33,53,83,42,12,"
     "87,47,7,101,63,13,23 "
     "27,41,26,46,57,40,62,114,45,67,73,56,78,120,61,83,29,44,66,87,17,72,92,123,77,97,43,60,82,"
     "101,28,48,65,86,13,16,32,124,91,107,59,76,96,111,42,64,81,100,23,47,1,85,103,104,31,51,75,90,"
     "106,117,58,80,95,110,37,63,4,99,113,68,6,102,19,30,50,71,74,94,105,116,53,79,10,109,119,84,"
     "12,112,5,15,18,34,49,70,7,93,20,115,122,98,22,118,11,25,14,33,0,69,89,108,36,121,21,39,24,52,"
     "3,88,35,55,38,2,9,54,8"},
    {168, 0, "AΓL(1,8)", 8, "1,5,6,2,7,3,0,4 4,7,5,6,0,3,1,2"},
    {720, 0, "PGL(2,9)", 10,
     "4,6,8,9,2,0,7,3,5,1 4,8,3,0,9,1,7,5,6,2 0,3,9,5,2,7,4,1,8,6 9,2,0,7,3,5,4,6,8,1 "
     "7,8,6,1,2,0,4,5,3,9 9,1,5,4,7,3,2,0,8,6"},
    {720, 0, "M_10", 10, "1,7,4,2,8,5,0,6,3,9 1,7,0,5,3,8,9,4,2,6"},
    {1152, 0, "S_4 wr Z_2", 8, "1,0,3,2,5,6,4,7 5,4,7,6,3,2,0,1 5,7,4,6,3,2,1,0 6,4,7,5,2,0,3,1"},
    {1296, 0, "S_3 wr S_3", 9, "7,6,8,1,0,2,3,4,5 5,4,3,7,6,8,0,2,1 3,5,4,0,2,1,6,8,7"},
    {1344, 0, "(Z_2 x Z_2 x Z_2 : PSL(2,7), r = 0 0 1, 0 1 1, 1 1 0; 0 0 1, 1 1 1, 1 0 0)", 8,
     "5,3,6,0,4,2,7,1 4,3,5,2,6,1,7,0"},
    {1440, 0, "PΓL(2,9)", 10, "5,0,8,3,2,6,7,9,4,1 7,3,0,6,4,1,9,2,5,8 1,9,8,0,2,5,4,7,6,3"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static ThGroup *group_of(size_t row)
{
    ThError err = {0};
    ThGroup *g = th_group_new(rows[row].points, &err);
    const char *at = rows[row].images;
    int image[128];
    assert_in_range(rows[row].points, 1, sizeof image / sizeof *image);
    while (*at) {
        for (int i = 0; i < rows[row].points; i++) {
            image[i] = atoi(at);
            at += strspn(at, "0123456789");
            at += *at != '\0';
        }
        assert_true(th_group_add(g, image, 0, NULL, &err));
    }
    return g;
}

static void test_names(void **state)
{
    (void)state;
    char seen[N_ROWS][TH_GROUP_NAME];
    for (size_t i = 0; i < N_ROWS; i++) {
        ThError err = {0};
        ThGroupFacts f;
        ThGroup *g = group_of(i);
        assert_int_equal(th_group_order(g), rows[i].order);
        assert_true(th_group_facts(g, &f, NULL, &err));
        bool named = rows[i].name[0] != ';';
        const char *rest = strchr(f.invariants, ';');
        if (named == (f.invariants[0] != 0) || strcmp(named ? f.name : rest, rows[i].name) != 0)
            fail_msg("%d, %d: %s %s", rows[i].order, rows[i].number, f.name, f.invariants);
        strcpy(seen[i], named ? f.name : f.invariants);
        for (size_t k = 0; k < i; k++)
            if (rows[k].order == rows[i].order)
                assert_string_not_equal(seen[k], seen[i]);
        th_group_free(g);
    }
}

/* Isomorphic exactly to itself among those of its order. */
static void test_isomorphic(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t k = 0; k < N_ROWS; k++) {
            if (rows[i].order != rows[k].order || rows[i].order > 24)
                continue;
            ThError err = {0};
            long budget = 10000000;
            ThGroup *g = group_of(i), *h = group_of(k);
            assert_int_equal(th_group_isomorphic(g, h, &budget, NULL, &err), i == k);
            assert_true(budget > 0);
            th_group_free(g);
            th_group_free(h);
        }
}

/* Counts pairs x, y by the orders of x, y and xy, in a number that hardly two groups share. */
static uint64_t fingerprint(const ThGroup *g)
{
    size_t degree, n = th_group_order(g);
    int by[256];
    uint64_t sum = 0;
    th_group_generators_of(g, &degree);
    assert_true(degree <= 256);
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++) {
            for (size_t i = 0; i < degree; i++)
                by[i] = th_group_element(g, y)[th_group_element(g, x)[i]];
            uint64_t key = th_group_element_order(g, x) * 4096 + th_group_element_order(g, y);
            key = key * 4096 + th_group_element_order(g, th_group_find(g, by)) + 1;
            key *= 0x9e3779b97f4a7c15u;
            sum += (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
        }
    return sum;
}

/* A name is read as it is written, as the group that it was written of. */
static void test_read_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        ThError err = {0};
        ThGroupFacts f;
        if (rows[i].name[0] == ';')
            continue;
        ThGroup *g = group_of(i), *h = th_group_named(rows[i].name, 0, NULL, &err);
        if (!h)
            fail_msg("%s: %s", rows[i].name, err.msg);
        assert_true(th_group_facts(h, &f, NULL, &err));
        assert_string_equal(f.name, rows[i].name);
        if (rows[i].order <= 200)
            assert_true(fingerprint(g) == fingerprint(h));
        th_group_free(g);
        th_group_free(h);
    }
}

/* All that are not commutative of these orders have names, as many as Besche, Eick and O'Brien
 * count groups. */
static void test_all(void **state)
{
    (void)state;
    static const struct {
        int order, noncommutative;
    } known[] = {{6, 1},  {8, 2},  {10, 1},  {12, 3}, {14, 1}, {16, 9}, {18, 3}, {20, 3},
                 {21, 1}, {22, 1}, {24, 12}, {26, 1}, {27, 2}, {28, 2}, {30, 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int found = 0;
        for (size_t k = 0; k < N_ROWS; k++)
            found += rows[k].order == known[i].order && rows[k].name[0] != ';';
        assert_int_equal(found, known[i].noncommutative);
    }
}

/* Who types names: other spellings, and what is no name. */
static void test_typed(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *name;
    } good[] = {
        {"C2xC4", "Z_2 x Z_4"},
        {" S3  wr C2 ", "S_3 wr Z_2"},
        {"(C3xC3:Q8,r=0 1,2 0;1 1,1 2)", "(Z_3 x Z_3 : Q_8, r = 0 1, 2 0; 1 1, 1 2)"},
        {"(Z_7 : Z_3, r = 4)", "F_21"},
        {"(Z_8 : Z_2, r = 3)", "SD_16"},
        {"(Z_2 : Z_3, r = 1)", "Z_6"},
        {"Dih(Z_2 x Z_2)", "Z_2 x Z_2 x Z_2"},
        {"Dih(C7)", "D_7"},
        {"(S3 x C2) wr C2", "D_6 wr Z_2"},
        {"((C2 x C2))", "Z_2 x Z_2"},
        {"PGammaL(2,8)", "PΓL(2,8)"},
        {"AGammaL(1,4)", "S_4"},
        {"AGL(1,5)", "F_20"},
        {"SL(2,4)", "A_5"},
        {"SL(2,8)", "PSL(2,8)"},
        {"PSL(2,4)", "A_5"},
        {"PSL(2,9)", "A_6"},
        {"GL(2,4)", "A_5 x Z_3"},
        {"F10", "D_5"},
        {"M10", "M_10"},
        {"(Z_2 x Z_4 : Z_2, r = 1 2, 0 1)", "(Z_2 x Z_4 : Z_2, r = 1 2, 0 1)"},
    };
    static const struct {
        const char *typed;
        int column;
        const char *message;
    } bad[] = {
        {"C2 x", 5, "expected the name of a group"},
        {"", 1, "expected the name of a group"},
        {"C2 xx C3", 5, "expected the name of a group"},
        {"C2 x M17", 6, "no group is named M17"},
        {"F15", 1, "no group is named F15"},
        {"SL(2,6)", 1, "no group is named SL(2,6)"},
        {"C2 C3", 4, "expected x and a group, or the end of the name"},
        {"(S3 : C2, r = 1)", 2, "expected a product of cyclic groups, to 2,000 elements"},
        {"Dih(Q8)", 5, "expected a product of cyclic groups, to 2,000 elements"},
        {"(C9 : C3, r = 3)", 15, "this is no automorphism of the first group"},
        {"(C9 : C3, r = 2)", 15, "the second group does not act so"},
        {"(C2 x C4 : C2, r = 1 0, 1 1)", 0, NULL},
        {"(C2 x C4 : C2, r = 1 1, 0 1)", 20, "this is no automorphism of the first group"},
        {"(C3 : S3, r = 2)", 16, "expected ; and how the next generator acts"},
        {"(C3 x C3 : C2, r = 2 0)", 23, "expected , and a row of the matrix"},
        {"(C3 x C3 : C2, r = 2 x)", 22, "expected a number of the matrix"},
        {"(C3 : C2)", 9, "expected , r = and how the second group acts"},
        {"(C3 : C2, r = 2", 16, "expected )"},
        {"AΓL(1,8) x )", 12, "no group is named )"},
        {"C100000 wr C100", 12, "too many points are moved"},
        {"(((((((((((((((((((((C2)))))))))))))))))))))", 22, "parentheses are nested too deep"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ThError err = {0};
        ThGroupFacts f;
        ThGroup *g = th_group_named(good[i].typed, 2000, NULL, &err);
        if (!g)
            fail_msg("%s: %s", good[i].typed, err.msg);
        assert_true(th_group_facts(g, &f, NULL, &err));
        assert_string_equal(f.name, good[i].name);
        th_group_free(g);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        ThGroup *g = th_group_named(bad[i].typed, 2000, NULL, &err);
        th_group_free(g);
        assert_int_equal(g == NULL, bad[i].message != NULL);
        if (bad[i].message)
            assert_string_equal(err.msg, bad[i].message);
        assert_int_equal(err.col, bad[i].column);
    }
}

/* What the families say of themselves to the last order that is looked at. */
static void test_large(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"D1000", "D_1000"},        {"S5xS3", "S_5 x S_3"},       {"PSL(2,13)", "PSL(2,13)"},
        {"PGL(2,11)", "PGL(2,11)"}, {"GL(2,5)", "GL(2,5)"},       {"SL(2,11)", "SL(2,11)"},
        {"F1806", "F_1806"},        {"A5xS4", "A_5 x S_4"},       {"C9xD5xS3", "D_5 x S_3 x Z_9"},
        {"PGL(2,5)", "S_5"},        {"PGL(2,3)xC3", "S_4 x Z_3"}, {"GL(2,3)xD3", "GL(2,3) x S_3"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ThError err = {0};
        ThGroupFacts f;
        ThGroup *g = th_group_named(names[i][0], 0, NULL, &err);
        assert_non_null(g);
        assert_true(th_group_facts(g, &f, NULL, &err));
        assert_string_equal(f.name, names[i][1]);
        th_group_free(g);
        g = th_group_named(f.name, 0, NULL, &err); /* a name is read as it is written */
        assert_non_null(g);
        assert_int_equal(th_group_order(g), f.order);
        assert_true(th_group_facts(g, &f, NULL, &err));
        assert_string_equal(f.name, names[i][1]);
        th_group_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_isomorphic),
        cmocka_unit_test(test_read_again), cmocka_unit_test(test_all),
        cmocka_unit_test(test_typed),      cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
