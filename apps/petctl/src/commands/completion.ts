import type { Argument, Command, Option } from 'commander';
import { parseChoice } from '../input.ts';
import type { Session } from '../session.ts';

/** Adds the command that prints a shell's script. */
export function addCompletion(root: Command, session: Session): void {
  const shells = Object.keys(scripts) as (keyof typeof scripts)[];
  const shell = root.createArgument('<shell>', 'The shell.');
  shell.argChoices = shells;
  root
    .command('completion')
    .summary('Print the completion script for a shell')
    .description(
      'Prints the completion script for a shell. In ~/.bashrc: source <(petctl completion bash). In ~/.zshrc, after compinit: ' +
        'source <(petctl completion zsh). For fish: petctl completion fish > ~/.config/fish/completions/petctl.fish',
    )
    .addArgument(shell)
    .action(async (text: string) => {
      const name = parseChoice({ text, name: '<shell>' }, shells);
      await session.stdout.write(scripts[name]);
    });
}

/**
 * The command that the scripts call. It is not a command of commander, because commander would
 * parse the words to complete, and these may begin with a dash.
 */
export const completeCommand = '__complete';

/** The candidates for the last word. Each line has a candidate, a tab, and its description. */
export function complete(root: Command, words: readonly string[]): string {
  const typed = flagsAndValues(words);
  const last = typed.pop() ?? '';
  const found = candidates(positionAfter(root, typed), last);
  const lines = found
    .filter(([word]) => word.startsWith(last))
    .map(([word, description]) => `${word}\t${description.split('\n')[0]}\n`);
  return lines.join('');
}

/**
 * The words without `=`, as if a space separated each flag from its value: bash passes
 * `--flag=value` as three words.
 */
function flagsAndValues(words: readonly string[]): string[] {
  const typed = words.filter((word) => word !== '=');
  // After `=`, the value to complete is still empty.
  if (words.at(-1) === '=') typed.push('');
  return typed;
}

type Candidate = readonly [word: string, description: string];

/** Where a command line stands after some words. */
interface Position {
  readonly command: Command;
  /** How many arguments the command has already. */
  readonly operands: number;
  /** The option whose value follows. */
  readonly option: Option | undefined;
}

function positionAfter(root: Command, words: readonly string[]): Position {
  let position: Position = { command: root, operands: 0, option: undefined };
  for (const word of words) position = positionAfterWord(position, word);
  return position;
}

function positionAfterWord({ command, operands, option }: Position, word: string): Position {
  if (option) return { command, operands, option: undefined };
  if (word.startsWith('-')) {
    const withValue = optionsOf(command, word).find(({ required }) => required);
    return { command, operands, option: withValue };
  }
  const child = command.commands.find((one) => one.name() === word);
  // `petctl help pets` is completed like `petctl pets`.
  if (child && word === 'help') return { command, operands, option };
  if (child) return { command: child, operands: 0, option: undefined };
  return { command, operands: operands + 1, option: undefined };
}

function candidates({ command, operands, option }: Position, last: string): Candidate[] {
  if (option) return choicesOf(option);
  if (last.startsWith('--') && last.includes('=')) return valuesAfterFlag(command, last);
  if (last.startsWith('-'))
    return optionsOf(command).map((one) => [one.long ?? '', one.description]);
  const argument = command.registeredArguments[operands];
  if (argument) return choicesOf(argument);
  const commands = operands === 0 ? command.commands : [];
  return commands.map((one) => [one.name(), one.summary() || one.description()]);
}

/** The values of `--status=`, with the flag. */
function valuesAfterFlag(command: Command, last: string): Candidate[] {
  const flag = last.slice(0, last.indexOf('='));
  const values = optionsOf(command, flag).flatMap(choicesOf);
  return values.map(([word, text]) => [`${flag}=${word}`, text]);
}

/** The options of a command, or those with a name. */
function optionsOf(command: Command, name?: string): Option[] {
  const all = command.createHelp().visibleOptions(command);
  return all.filter(({ long, short }) => name === undefined || long === name || short === name);
}

function choicesOf({ argChoices = [] }: Option | Argument): Candidate[] {
  return argChoices.map((word) => [word, '']);
}

// The script of each shell passes the words as arguments, and reads the candidates as lines. Without
// candidates, it completes the names of files. The scripts avoid compgen -W, which evaluates its
// input, and _describe, which splits its input at colons.
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
