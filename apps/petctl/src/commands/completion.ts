import type { Io } from '../io/io.ts';
import { propertiesIn } from '../output/format.ts';
import type { CommandNode, Invocation } from '../parse/command.ts';
import { flagsOf } from '../parse/command.ts';
import { readPartially } from '../parse/read.ts';
import type { Argument, Completes, Flag } from '../settings/flag.ts';
import { configFile, isSettingName, readProfiles } from '../settings/profiles.ts';
import { settings } from '../settings/settings.ts';
import { kindOf, wordsOf } from '../settings/value.ts';
import { topics } from './help/topics.ts';

/** The candidates for a word; `files` leaves it to the shell. */
interface Candidates {
  readonly words: readonly (readonly [word: string, about: string])[];
  readonly files: boolean;
}

/** Prints the candidates for the last word, one per line, with a tab and a description. Runs nothing of the input. */
export async function complete({ io, args, root }: Invocation): Promise<void> {
  const { words, files } = candidates(root, args.map(String), io.env);
  const lines = words.map(([word, about]) => `${word}\t${about.split('\n')[0]}\n`);
  await io.stdout.write(lines.join('') + (files ? ':files\n' : ''));
}

/** A marker in place of the unfinished word: its role decides the candidates. */
const UNFINISHED = '--\u0000';

/** The candidates for the last word. */
export function candidates(root: CommandNode, typed: readonly string[], env: Io['env'] = {}): Candidates {
  const words = joined(typed);
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { node, words: operands, flagWords: wordOf } = readPartially(root, [...before, UNFINISHED]);
  const [open] = [...wordOf].find(([, text]) => text === UNFINISHED) ?? [];
  const valuesOf = (of: Flag | Argument, start: string) => values(of, start, { node, before: operands[0] ?? '', env });
  if (open) return valuesOf(open, last);
  const isLiteral = before.includes('--');
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined && value !== undefined && !isLiteral) {
    const flag = flagsOf(node).find((one) => one.name === name);
    const { words: found, files } = flag ? valuesOf(flag, value) : none;
    return { words: found.map(([word, about]) => [`--${name}=${word}`, about]), files };
  }
  if (last.startsWith('-') && !isLiteral) return { words: starting(last, flagWords(node)), files: false };
  const count = operands.indexOf(UNFINISHED);
  if (node.commands) return count > 0 ? none : { words: starting(last, commandWords(node)), files: false };
  const argument = node.args?.[Math.min(count, node.args.length - 1)];
  if (argument && node.name === 'help' && root.commands?.includes(node))
    return { words: starting(last, helpWords(root)), files: false };
  return argument ? valuesOf(argument, last) : none;
}

const none: Candidates = { words: [], files: false };

/** Joins `--status=sold`, which bash splits into three words. */
function joined(typed: readonly string[]): string[] {
  const words: string[] = [];
  for (const [i, word] of typed.entries()) {
    const before = words.at(-1);
    const glued = word === '=' ? before?.startsWith('--') : typed[i - 1] === '=' && before?.endsWith('=');
    if (glued && before !== undefined) words[words.length - 1] = before + word;
    else words.push(word);
  }
  return words;
}

interface Context {
  readonly node: CommandNode;
  /** The first word after the command. */
  readonly before: string;
  readonly env: Io['env'];
}

function values({ rules, completes }: Flag | Argument, start: string, context: Context): Candidates {
  // Completes the last of several comma-separated names.
  const head = completes === 'properties' ? start.slice(0, start.lastIndexOf(',') + 1) : '';
  const words = kindOf(rules) === 'boolean' ? ['true', 'false'] : wordsOf(rules);
  const all = words.length > 0 ? words : namesFor(completes, context);
  const described = all.map((word) => [head + word, ''] as const);
  return { words: starting(start, described), files: completes === 'file' };
}

function namesFor(completes: Completes | undefined, { node, before, env }: Context): readonly string[] {
  switch (completes) {
    case 'profile':
      return profileNames(env);
    case 'properties':
      return node.operation ? propertiesIn(node.operation).names : [];
    case 'setting':
      return Object.keys(settings);
    case 'setting value':
      if (!isSettingName(before)) return [];
      if (before === 'profile') return profileNames(env);
      return kindOf(settings[before].flag.rules) === 'boolean'
        ? ['true', 'false']
        : wordsOf(settings[before].flag.rules);
    default:
      return [];
  }
}

function profileNames(env: Io['env']): string[] {
  try {
    return [...new Set(['default', ...Object.keys(readProfiles(configFile(env)).profiles)])];
  } catch {
    // Completion ignores configuration errors.
    return [];
  }
}

function flagWords(node: CommandNode): [string, string][] {
  return flagsOf(node).flatMap(({ name, description, negatable }) => [
    [`--${name}`, description],
    ...(negatable ? [[`--no-${name}`, description] satisfies [string, string]] : []),
  ]);
}

function commandWords({ commands = [] }: CommandNode): [string, string][] {
  return commands.filter(({ hidden }) => !hidden).map(({ name, summary }) => [name, summary]);
}

function helpWords(root: CommandNode): [string, string][] {
  return [...commandWords(root), ...topics().map(({ name, title }): [string, string] => [name, title])];
}

function starting(start: string, words: readonly (readonly [string, string])[]) {
  return words.filter(([word]) => word.startsWith(start));
}

/** Prints the script for a shell. */
export async function printScript({ io, args }: Invocation): Promise<void> {
  const script = new Map(Object.entries(scripts)).get(String(args[0]));
  if (script) await io.stdout.write(script);
}

// The scripts pass the words as arguments and read lines. They never evaluate input: bash's compgen -W and zsh's _describe
// would.
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
    # bash counts --status=sold as three words and completes only the last.
    [[ $word == --*=* && $current != --* ]] && word=${'$'}{word#*=}
    COMPREPLY+=("$word")
  done < <(petctl __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _petctl petctl
`,
  zsh: String.raw`#compdef petctl
# petctl for zsh: into a file _petctl in a folder of $fpath, or sourced after compinit
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
  powershell: `# petctl for PowerShell: into the file that $PROFILE names
Register-ArgumentCompleter -Native -CommandName petctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  petctl __complete @words "$wordToComplete" 2>$null | ForEach-Object {
    $word, $about = $_ -split "\`t", 2
    if ($word -eq ':files') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    } else {
      if (-not $about) { $about = $word }
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
  }
}
`,
};
