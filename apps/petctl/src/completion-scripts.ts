// What each shell runs. The scripts pass the words as arguments and read lines. Without candidates, they complete names of
// files. They avoid compgen -W, which evaluates its input, and _describe, which splits it at colons.
export const scripts = {
  bash: String.raw`# petctl for bash
_petctl() {
  COMPREPLY=()
  local line
  while IFS= read -r line; do
    COMPREPLY+=("${'$'}{line%%$'\t'*}")
  done < <(petctl __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _petctl petctl
`,
  zsh: String.raw`#compdef petctl
_petctl() {
  local line
  local -a found shown
  while IFS= read -r line; do
    found+=("${'$'}{line%%$'\t'*}")
    shown+=("${'$'}{line%%$'\t'*}  ${'$'}{line#*$'\t'}")
  done < <(petctl __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then compadd -l -d shown -- "${'$'}{found[@]}"; else _files; fi
}
if [[ $funcstack[1] == _petctl ]]; then _petctl "$@"; else compdef _petctl petctl; fi
`,
  fish: `# petctl for fish
function __petctl_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (petctl __complete $words[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c petctl -f -a '(__petctl_complete)'
`,
};
