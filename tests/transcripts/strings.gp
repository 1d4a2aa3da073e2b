# To show this figure:  gnuplot -persist FILE
# To write it to a file, put in front, for example:
#   set terminal pngcairo size 950,600; set output 'figure.png'
if (GPVAL_TERM eq 'unknown') set terminal dumb 79,24
plain = GPVAL_TERM eq 'dumb'
set encoding utf8
set termoption noenhanced
set linetype 1 lc rgb '#0072B2'; set linetype 2 lc rgb '#D55E00'
set linetype 3 lc rgb '#009E73'; set linetype 4 lc rgb '#CC79A7'
set linetype 5 lc rgb '#E69F00'; set linetype 6 lc rgb '#56B4E9'
set linetype 7 lc rgb '#999933'; set linetype 8 lc rgb '#404040'; set linetype cycle 8
set border 3 lc rgb '#9a9a9a' lw 0.8
set tics nomirror out scale 0.5 textcolor rgb '#404040'
set key noenhanced textcolor rgb '#404040' samplen 2.5 spacing 1.15
set title 'how long u thinks on l' noenhanced font ',13' textcolor rgb '#202020' offset 0,0.3
$STRINGS << TH_EOD
2 8 2 3 1.74899 
1 5 1 3 1.68711 
1 5 1 3 1.74065 
1 4 1 3 1.68738 
1 5 1 3 1.67873 
1 5 1 3 1.73828 
1 4 1 3 1.70703 
1 4 1 3 1.76622 
1 5 1 3 1.72431 
1 7 1 3 1.73014 
1 5 1 3 1.74973 
1 6 1 3 1.68338 
1 7 1 3 1.74507 
1 6 1 3 1.7362 
1 6 1 3 1.6822 
2 10 2 3 1.76462 
1 5 1 3 1.73757 
1 7 1 3 1.682 
1 6 1 3 1.71193 
1 4 1 3 1.69576 
1 5 1 3 1.67778 
2 7 2 3 1.64631 
1 5 1 3 1.68056 
2 10 2 3 1.70749 
1 4 1 3 1.75018 
1 6 1 3 1.66599 
1 6 1 3 1.67066 
1 7 1 3 1.74804 
1 6 1 3 1.68218 
1 7 1 3 1.68654 
1 5 1 3 1.73249 
1 5 1 3 1.74402 
1 7 1 3 1.66542 
2 12 3 3 1.73933 
2 10 2 3 1.63948 
2 10 2 3 1.63621 
1 6 1 3 1.69278 
1 4 1 3 1.67071 
2 10 2 3 1.7239 
1 6 1 3 1.73938 
TH_EOD
set title font ',9' offset 0,-0.6; unset key; set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.06
if (!plain) { set multiplot layout 2,3 title 'how long u thinks on l' noenhanced font ',13' }
if (!plain || 0) {
set xtics 1
set xlabel 'nesting' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'applications' textcolor rgb '#404040'
set title 'all alike'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($1 + 0.5 * (rand(0) - 0.5)):4 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($1)):4 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain || 0) {
set xtics 1
set xlabel 'length' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'applications' textcolor rgb '#404040'
set title 'all alike'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($2 + 0.5 * (rand(0) - 0.5)):4 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($2)):4 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain || 0) {
set xtics 1
set xlabel 'operators' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'applications' textcolor rgb '#404040'
set title 'all alike'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($3 + 0.5 * (rand(0) - 0.5)):4 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($3)):4 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain || 1) {
set xtics 1
set xlabel 'nesting' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'paid for' textcolor rgb '#404040'
set title 'rank correlation -0.05 (-0.36 to 0.27)'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($1 + 0.5 * (rand(0) - 0.5)):5 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($1)):5 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain || 0) {
set xtics 1
set xlabel 'length' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'paid for' textcolor rgb '#404040'
set title 'rank correlation -0.12 (-0.42 to 0.20)'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($2 + 0.5 * (rand(0) - 0.5)):5 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($2)):5 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain || 0) {
set xtics 1
set xlabel 'operators' offset 0,0.5 textcolor rgb '#404040'
set ylabel 'paid for' textcolor rgb '#404040'
set title 'rank correlation -0.04 (-0.34 to 0.28)'
bin(x) = 1 * floor(x / 1 + 0.5)
plot $STRINGS using ($3 + 0.5 * (rand(0) - 0.5)):5 with points pt 7 ps 0.3 lc rgb '#990072B2', $STRINGS using (bin($3)):5 smooth unique with linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'
}
if (!plain) { unset multiplot }
