import { topics } from '../docs/topics.ts';
import type { Invocation } from '../invocation.ts';
import { flagsOf } from '../parse/parse.ts';
import { kindOf, wordsOf } from '../parse/value.ts';
import type { Argument, CommandNode, Flag } from '../tree/node.ts';

/** What could stand at the end of a line; `files` where the shell itself knows best. */
interface Candidates {
  readonly words: readonly (readonly [word: string, about: string])[];
  readonly files: boolean;
}

/** Prints the candidates for the last word, one a line, each with a tab and what it is. Nothing of what is typed is run. */
export async function complete({ io, args, root }: Invocation): Promise<void> {
  const { words, files } = candidates(root, args.map(String));
  const lines = words.map(([word, about]) => `${word}\t${about.split('\n')[0]}\n`);
  await io.stdout.write(lines.join('') + (files ? ':files\n' : ''));
}

/** What could stand where the last of the words is. */
export function candidates(root: CommandNode, typed: readonly string[]): Candidates {
  const words = joined(typed);
  const last = words.at(-1) ?? '';
  let [node, count, literal] = [root, 0, false];
  let open: Flag | undefined;
  for (const word of words.slice(0, -1)) {
    if (open) open = undefined;
    else if (word === '--' && !literal) literal = true;
    else if (word.startsWith('-') && word.length > 1 && !literal) open = openedBy(node, word);
    else {
      const child = node.commands?.find(({ name }) => name === word);
      if (child) node = child;
      else count++;
    }
  }
  if (open) return values(open, last);
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined && value !== undefined && !literal) {
    const flag = flagsOf(node).find((one) => one.name === name);
    const { words: found, files } = flag ? values(flag, value) : none;
    return { words: found.map(([word, about]) => [`--${name}=${word}`, about]), files };
  }
  if (last.startsWith('-') && !literal) return { words: starting(last, flagWords(node)), files: false };
  if (node.commands) return { words: starting(last, commandWords(node)), files: false };
  const argument = node.args?.[Math.min(count, node.args.length - 1)];
  if (argument && node.name === 'help' && root.commands?.includes(node))
    return { words: starting(last, helpWords(root)), files: false };
  return argument ? values(argument, last) : none;
}

const none: Candidates = { words: [], files: false };

/** bash takes `--status=sold` for three words. */
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

/** The flag whose value comes next. */
function openedBy(node: CommandNode, word: string): Flag | undefined {
  const flag = flagsOf(node).find(({ name, short }) => word === `--${name}` || (short && word === `-${short}`));
  return flag && kindOf(flag.rules) !== 'boolean' ? flag : undefined;
}

function values({ rules, completes }: Flag | Argument, start: string): Candidates {
  const words = kindOf(rules) === 'boolean' ? ['true', 'false'] : wordsOf(rules);
  const described = words.map((word) => [word, ''] as const);
  return { words: starting(start, described), files: completes === 'file' };
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
