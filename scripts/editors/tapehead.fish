# fish completion of tapehead
complete -c tapehead -l @long@ -d "@text@"
complete -c tapehead -s @short@ -d "@text@"
complete -c tapehead -s e -l execute -x -a "@commands@"
complete -c tapehead -s @short@ -l @long@ -x -a "@values@"
complete -c tapehead -l seed -x
complete -c tapehead -l threads -x
complete -c tapehead -k -a "(__fish_complete_suffix .th)"
