# bash completion of tapehead

_tapehead()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $before in
    -e | --execute)
        mapfile -t COMPREPLY < <(compgen -W '@commands@' -- "$word")
        return ;;
    -@short@ | --@long@) mapfile -t COMPREPLY < <(compgen -W '@values@' -- "$word"); return ;;
    --seed | --threads)
        return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '
            --@long@
            ' -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.th' -- "$word"; compgen -d -- "$word")
    fi
}

complete -o filenames -F _tapehead tapehead
