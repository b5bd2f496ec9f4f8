import type { Invocation } from '../parse/command.ts';

/** Prints the script for a shell. */
export async function printScript({ io, args }: Invocation): Promise<void> {
  // The parser accepts only the shells that have a script.
  await io.stdout.write(scripts[args[0] as keyof typeof scripts]);
}

// The scripts pass the words as arguments and read lines. They avoid compgen -W, which evaluates its input, and
// _describe, which splits it at colons.
const scripts = {
  bash: String.raw`# petctl for bash, also without the bash-completion package: source it from ~/.bashrc
_petctl() {
  local current=${'$'}{COMP_WORDS[COMP_CWORD]} line word
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default 2>/dev/null
      continue
    fi
    word=${'$'}{line%%$'\t'*}
    # bash counts --flag=value as three words and completes only the last.
    [[ $word == --*=* && $current != --* ]] && word=${'$'}{word#*=}
    [[ $word == *[!A-Za-z0-9_.,:=@/-]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(petctl __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _petctl petctl
`,
  zsh: String.raw`#compdef petctl
# petctl for zsh: save as _petctl in a folder of $fpath, or source after compinit
_petctl() {
  local line word
  local -a found shown
  local files=
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; continue; fi
    word=${'$'}{line%%$'\t'*}
    found+=("$word")
    shown+=("$word  ${'$'}{line#*$'\t'}")
  done < <(petctl __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && compadd -l -d shown -- "${'$'}{found[@]}"
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _petctl ]]; then _petctl "$@"; else compdef _petctl petctl; fi
`,
  fish: `# petctl for fish: into ~/.config/fish/completions/petctl.fish
function __petctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (petctl __complete $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c petctl -f -a '(__petctl_complete)'
`,
};
