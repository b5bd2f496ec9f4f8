// Reads the commands and flags of the programs from their help.
import { createProgram } from '../apps/server/src/program.ts';
import { runPetctl } from './run-petctl.ts';

type Command = ReturnType<typeof createProgram>;

/**
 * The help of each command of a program, by its words: '' for the program itself, then `pets`,
 * `pets list`.
 */
export type Help = ReadonlyMap<string, string>;

/** The help of petctl. */
export async function petctlHelp(): Promise<Help> {
  const found = new Map<string, string>();
  const add = async (words: readonly string[]): Promise<void> => {
    const { stdout } = await runPetctl([...words, '--help']);
    found.set(words.join(' '), stdout);
    for (const name of commandsIn(stdout)) await add([...words, name]);
  };
  await add([]);
  return found;
}

/** The help of the server. */
export function serverHelp(): Help {
  const found = new Map<string, string>();
  const add = (command: Command, words: readonly string[]): void => {
    found.set(words.join(' '), command.helpInformation());
    for (const each of command.commands) add(each, [...words, each.name()]);
  };
  add(createProgram(), []);
  return found;
}

/** The names in the section `Commands:` of a help, without `help`. */
function commandsIn(text: string): string[] {
  const lines = text.split('\n');
  const start = lines.indexOf('Commands:') + 1;
  const end = lines.indexOf('', start);
  const section = start === 0 ? [] : lines.slice(start, end);
  // The description of a command goes on in lines that are indented further.
  const rows = section.filter((line) => line.startsWith('  ') && line[2] !== ' ');
  const names = rows.map((line) => line.trim().split(' ')[0] ?? '');
  return names.filter((name) => name !== 'help');
}

/** The flags in a help: `--output` of `  -o, --output <format>  The format …`. */
export function flagsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('  -')) return [];
    const names = line
      .trim()
      .split(' ')
      .filter((word) => word.startsWith('-'));
    return names.map((name) => name.replace(',', ''));
  });
}

/**
 * What is wrong with the words after a program's name; undefined if they are a command of it with
 * flags that it has.
 */
export function faultOf(help: Help, words: readonly string[]): string | undefined {
  const { command, unknown } = commandOf(help, words);
  if (unknown) return `command ${unknown}`;
  const flags = [...flagsIn(help.get(command) ?? ''), ...flagsIn(help.get('') ?? ''), '--help'];
  const used = words.filter((word) => word.startsWith('--')).map(nameOf);
  const missing = used.find((flag) => !flags.includes(flag));
  return missing === undefined ? undefined : `flag ${missing}`;
}

/** The command that words begin with, or one that the program does not have. */
function commandOf(help: Help, words: readonly string[]): { command: string; unknown?: string } {
  let command = '';
  for (const word of words) {
    if (!hasCommands(help, command) || word.startsWith('-')) break;
    const next = `${command} ${word}`.trim();
    if (!help.has(next)) return { command, unknown: next };
    command = next;
  }
  return { command };
}

function hasCommands(help: Help, command: string): boolean {
  const prefix = command === '' ? '' : `${command} `;
  const others = [...help.keys()].filter((each) => each !== command);
  return others.some((each) => each.startsWith(prefix));
}

/** `--limit` of `--limit=5`. */
function nameOf(flag: string): string {
  return flag.split('=')[0] ?? '';
}
