import type { Argument, Command, Option } from 'commander';
import { write } from './output.ts';

/** Adds the command that prints a shell's script. */
export function addCompletion(root: Command): void {
  root
    .command('completion')
    .summary('Print the completion script for a shell')
    .description(
      'Prints the completion script for a shell. In ~/.bashrc: source <(petctl completion bash). In ~/.zshrc, after compinit: ' +
        'source <(petctl completion zsh). For fish: petctl completion fish > ~/.config/fish/completions/petctl.fish',
    )
    .addArgument(root.createArgument('<shell>', 'The shell.').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => write(scripts[shell]));
}

/** Prints the candidates for the last of the words, one on each line, with a tab and a description. */
export async function complete(root: Command, words: readonly string[]): Promise<void> {
  // bash passes --flag=value as three words.
  const typed = [...words.filter((word) => word !== '='), ...(words.at(-1) === '=' ? [''] : [])];
  if (typed[0] === 'help' && typed.length > 1) typed.shift();
  const last = typed.pop() ?? '';
  const found = candidates(root, typed, last).filter(([word]) => word.startsWith(last));
  await write(
    found.map(([word, description]) => `${word}\t${description.split('\n')[0]}\n`).join(''),
  );
}

type Candidate = readonly [word: string, description: string];

function candidates(root: Command, before: readonly string[], last: string): Candidate[] {
  let command = root;
  let operands = 0;
  let option: Option | undefined;
  for (const word of before) {
    const child = command.commands.find((one) => one.name() === word);
    if (option) option = undefined;
    else if (word.startsWith('-'))
      option = optionsOf(command, word).find(({ required }) => required);
    else if (child) [command, operands] = [child, 0];
    else operands++;
  }
  if (option) return choicesOf(option);
  const [, flag = ''] = /^(--[^=]+)=/.exec(last) ?? [];
  if (flag)
    return optionsOf(command, flag)
      .flatMap(choicesOf)
      .map(([word, text]) => [`${flag}=${word}`, text]);
  if (last.startsWith('-'))
    return optionsOf(command).map((one) => [one.long ?? '', one.description]);
  const argument = command.registeredArguments[operands];
  if (argument) return choicesOf(argument);
  const commands = operands === 0 ? command.createHelp().visibleCommands(command) : [];
  return commands.map((one) => [one.name(), one.summary() || one.description()]);
}

/** The options of a command, or those with a name. */
function optionsOf(command: Command, name?: string): Option[] {
  const all = command.createHelp().visibleOptions(command);
  return all.filter(({ long, short }) => name === undefined || long === name || short === name);
}

function choicesOf({ argChoices = [] }: Option | Argument): Candidate[] {
  return argChoices.map((word) => [word, '']);
}

// The scripts pass the words as arguments and read lines. Without candidates, they complete names of files. They avoid
// compgen -W, which evaluates its input, and _describe, which splits it at colons.
const scripts = {
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
