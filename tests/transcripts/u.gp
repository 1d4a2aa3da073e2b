# To show this figure:  gnuplot -persist FILE
# To write it to a file, put in front, for example:
#   set terminal pngcairo size 600,420; set output 'figure.png'
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
set title 'u on "[MAX 2 [MIN 4 7 ] ]": 4' noenhanced font ',13' textcolor rgb '#202020' offset 0,0.3
$MASS << TH_EOD
-1 0.5 0 0.40349
-1 0.5 1 0.356577
-1 0.5 2 0.14894
-1 0.5 3 0.0909932
0 0.5 0 0.496362
0 0.5 1 0.308517
0 0.5 2 0.145131
0 0.5 3 0.0499907
1 0.5 0 0.504086
1 0.5 1 0.305462
1 0.5 2 0.139026
1 0.5 3 0.0514266
2 0.5 0 0.498434
2 0.5 1 0.309339
2 0.5 2 0.139141
2 0.5 3 0.0530861
3 0.5 0 0.497274
3 0.5 1 0.297615
3 0.5 2 0.142178
3 0.5 3 0.0629333
4 0.5 0 0.496469
4 0.5 1 0.290739
4 0.5 2 0.154437
4 0.5 3 0.0583548
5 0.5 0 0.498599
5 0.5 1 0.300526
5 0.5 2 0.122582
5 0.5 3 0.0782937
6 0.5 0 0.498599
6 0.5 1 0.295101
6 0.5 2 0.120539
6 0.5 3 0.0857611
7 0.5 0 0.624378
7 0.5 1 0.298698
7 0.5 2 0.0566556
7 0.5 3 0.0202692
TH_EOD
$LEVEL << TH_EOD
0 1
1 1
2 2
3 2
4 2
5 2
6 1
TH_EOD
set label 1 'on average 3 applications, 1.689 of them by the masses; grey: not computed' at graph 0.5,1.0 center offset 0,(plain ? 1.5 : 0.9) noenhanced font ',9' textcolor rgb '#606060'
set title offset 0,1.1; set tmargin 4.3
set xrange [-1.5:7.5]
set xtics scale 0 noenhanced font ',8' ('[MAX' 0, '2' 1, '[MIN' 2, '4' 3, '7' 4, ']' 5, ']' 6)
set xtics rotate by 90 right
if (!plain) {
set multiplot; unset xtics
set lmargin at screen 0.125; set rmargin at screen 0.8333
set tmargin at screen 0.7738; set bmargin at screen 0.4881
}
set palette defined (0 '#ffffff', 0.1 '#cfe0ee', 1 '#003a70')
set cbrange [0:1]; set cbtics 0,0.5,1 scale 0; set cblabel 'mass'
set object 2 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#dcdcdc' fs solid noborder
set style fill solid 1 border lc rgb '#e9eef3'
set yrange [-0.5:3.5]; set ytics 1 scale 0; unset key
set ylabel 'applications' textcolor rgb '#404040'
if (plain) {
plot $MASS using 1:3:(sprintf('%d', int(9.99 * $4))) with labels
} else {
plot $MASS using 1:3:2:(0.5):4 with boxxyerror lc palette lw 0.4, $MASS using 1:3:(sprintf('%.2f', $4)):($4 > 0.5 ? 0xffffff : 0x404040) with labels font ',7' textcolor rgb variable
}
set xtics scale 0 noenhanced font ',8' ('[MAX' 0, '2' 1, '[MIN' 2, '4' 3, '7' 4, ']' 5, ']' 6)
set xtics rotate by 90 right
if (!plain) {
set tmargin at screen 0.4405; set bmargin at screen 0.2024
unset object 2; unset title; unset label 1; unset colorbox
set yrange [0:2.5]; set ytics 1; set ylabel 'brackets'
set style fill solid 0.25 noborder
plot $LEVEL using 1:2:(1) with boxes lc rgb '#D55E00'
unset multiplot
}
