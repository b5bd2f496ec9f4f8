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
  const typed = joined(words[0] === 'help' && words.length > 1 ? words.slice(1) : words);
  const last = typed.at(-1) ?? '';
  const found = candidates(root, typed.slice(0, -1), last);
  const lines = found.filter(([word]) => word === files || word.startsWith(last));
  await write(lines.map(([word, description]) => `${word}\t${description.split('\n')[0]}\n`).join(''));
}

type Candidate = readonly [word: string, description: string];

/** Instead of a candidate: the shell completes file names. */
const files = ':files';

function candidates(root: Command, before: readonly string[], last: string): Candidate[] {
  let command = root;
  let operands = 0;
  let option: Option | undefined;
  for (const word of before) {
    const child = command.commands.find((one) => one.name() === word);
    if (option) option = undefined;
    else if (word.startsWith('-')) option = optionsOf(command).find((one) => one.required && isNamed(one, word));
    else if (child) [command, operands] = [child, 0];
    else operands++;
  }
  if (option) return valuesOf(option, option.flags);
  const [, flag = ''] = /^(--[^=]+)=/.exec(last) ?? [];
  const assigned = optionsOf(command).find((one) => isNamed(one, flag));
  if (assigned) return valuesOf(assigned, assigned.flags).map(([word, text]) => [`${flag}=${word}`, text]);
  if (last.startsWith('-')) return optionsOf(command).map((one) => [one.long ?? '', one.description]);
  const argument = command.registeredArguments[operands];
  if (argument) return valuesOf(argument, `<${argument.name()}>`);
  const commands = operands === 0 ? command.createHelp().visibleCommands(command) : [];
  return commands.map((one) => [one.name(), one.summary() || one.description()]);
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function isNamed({ long, short }: Option, word: string): boolean {
  return long === word || short === word;
}

function valuesOf({ argChoices = [] }: Option | Argument, usage: string): Candidate[] {
  return usage.endsWith('<file>') ? [[files, '']] : argChoices.map((word) => [word, '']);
}

/** Joins `--flag=value`, which bash splits into three words. */
function joined(words: readonly string[]): string[] {
  const all: string[] = [];
  for (const [i, word] of words.entries()) {
    const isPart = all.at(-1)?.startsWith('--') && (word === '=' || words[i - 1] === '=');
    if (isPart) all.push(all.pop() + word);
    else all.push(word);
  }
  return all;
}

// The scripts pass the words as arguments and read lines. They avoid compgen -W, which evaluates its input, and _describe,
// which splits it at colons.
const scripts = {
  bash: String.raw`# petctl for bash
_petctl() {
  local current=${'$'}{COMP_WORDS[COMP_CWORD]} line word
  COMPREPLY=()
  while IFS= read -r line; do
    word=${'$'}{line%%$'\t'*}
    if [[ $word == :files ]]; then compopt -o default 2>/dev/null; continue; fi
    # bash counts --flag=value as three words and completes only the last.
    [[ $word == --*=* && $current != --* ]] && word=${'$'}{word#*=}
    COMPREPLY+=("$word")
  done < <(petctl __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _petctl petctl
`,
  zsh: String.raw`#compdef petctl
_petctl() {
  local line word
  local -a found shown
  while IFS= read -r line; do
    word=${'$'}{line%%$'\t'*}
    if [[ $word == :files ]]; then _files; continue; fi
    found+=("$word")
    shown+=("$word  ${'$'}{line#*$'\t'}")
  done < <(petctl __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && compadd -l -d shown -- "${'$'}{found[@]}"
  return 0
}
if [[ $funcstack[1] == _petctl ]]; then _petctl "$@"; else compdef _petctl petctl; fi
`,
  fish: `# petctl for fish
function __petctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (petctl __complete $words[2..-1] 2>/dev/null)
        if string match -q ':files*' -- $line
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c petctl -f -a '(__petctl_complete)'
`,
};
