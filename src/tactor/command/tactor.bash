# SPDX-License-Identifier: BSL-1.0
# Completion for the command tactor, in bash.
_tactor()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= word words
    local -A options=(
        [ps]=" --state --order --limit --offset "
        [tree]=" --depth --limit "
        [show]=" --limit "
        [timers]=" --limit "
        [deadletters]=" --limit "
        [failures]=" --limit "
        [top]=" --order --interval --once "
        [dump]=" --output "
        [level]=" --metrics --log "
        [demo]=" --seconds "
        [trace]=" --output --seconds --most --path --message --every --format "
    )
    local before= to=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $before in --to) to=(--to "$word") ;; esac
        case $before:$word in --to:*|--token:*|*:-*) ;; *) command=${command:-$word} ;; esac
        before=$word
    done
    case $prev in
        --state) words="running draining suspended stopping stopped" ;;
        --order) words="path waiting suspended restarts handled busy oldest" ;;
        --metrics) words="off system actor trace" ;;
        --log) words="debug info warning error" ;;
        --format) words="chrome otlp" ;;
        --to)
            COMPREPLY=($(compgen -W "$(ls "${XDG_RUNTIME_DIR:-/none}"/tactor/*.sock "/tmp/tactor-$UID"/*.sock 2>/dev/null)" -- "$cur"))
            [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
            return ;;
        -o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --token|--depth|--limit|--offset|--interval|--seconds|--most|--path|--message|--every) return ;;
        *)
            case $command in
                "") words=" ps tree show workers timers deadletters failures shutdown diagnose top dump open trace suspend resume stop restart level run demo "
                    words+=" --to --token --json --version --help " ;;
                open) COMPREPLY=($(compgen -f -- "$cur")); return ;;
                *)
                    words="${options[$command]} --to --token --json --help "
                    case $command:$cur in
                        ps:-*|tree:-*|show:-*|suspend:-*|resume:-*|stop:-*|restart:-*) ;;
                        tree:*|show:*|suspend:*|resume:*|stop:*|restart:*)
                            words+=" $(tactor ps "${to[@]}" --limit 1000 --json 2>/dev/null | grep -o '"path":"[A-Za-z0-9/_.-]*"' | cut -d '"' -f 4)" ;;
                    esac ;;
            esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _tactor tactor
