import { type Argument, type Flag, flagWords } from '../flags/flag.ts';
import { enumWords, kindOf } from '../flags/parse-value.ts';
import type { Io } from '../io/process-io.ts';
import { propertiesIn } from '../output/format.ts';
import { type CommandNode, flagsOf, walk } from '../parse/command.ts';
import { parse } from '../parse/parser.ts';

/** The candidates for a word. */
interface Candidates {
  readonly words: readonly (readonly [word: string, description: string])[];
  /** Whether the shell completes file names, too. */
  readonly files?: boolean;
}

/** Prints the candidates for the last typed word, one per line, with a tab and a description. */
export async function complete(root: CommandNode, typed: readonly string[], io: Io): Promise<void> {
  const { words, files } = candidates(root, typed);
  const lines = words.map(([word, description]) => `${word}\t${description.split('\n')[0]}\n`);
  await io.stdout.write(lines.join('') + (files ? ':files\n' : ''));
}

/** Replaces the unfinished word in the command line. How the parser reads this flag decides the candidates. */
const UNFINISHED = '--\u0000';

/** The candidates for the last word. */
export function candidates(root: CommandNode, typed: readonly string[]): Candidates {
  const words = joinAssignments(typed);
  const last = words.at(-1) ?? '';
  const { words: all, ...rest } = candidatesAfter(words.slice(0, -1), last, root);
  return { words: all.filter(([word]) => word.startsWith(last)), ...rest };
}

/** The candidates for a word, also those that do not begin like it. */
function candidatesAfter(before: readonly string[], last: string, root: CommandNode): Candidates {
  const { node, words: operands, flagTexts } = parse(root, [...before, UNFINISHED], { isPartial: true });
  const valuesOf = (input: Flag | Argument, start: string) => values(input, start, node);
  const [flagWithoutValue] = [...flagTexts].find(([, text]) => text === UNFINISHED) ?? [];
  if (flagWithoutValue) return valuesOf(flagWithoutValue, last);
  const isLiteral = before.includes('--');
  const [, name, value = ''] = /^--([^=]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined && !isLiteral) {
    const flag = flagsOf(node).find((one) => one.name === name);
    const { words, ...rest } = flag ? valuesOf(flag, value) : { words: [] };
    return { words: words.map(([word, description]) => [`--${name}=${word}`, description]), ...rest };
  }
  if (last.startsWith('-') && !isLiteral) return { words: flagCandidates(node) };
  const count = operands.indexOf(UNFINISHED);
  if (node.commands) return { words: count > 0 ? [] : commandCandidates(node) };
  const argument = node.args?.[Math.min(count, node.args.length - 1)];
  if (node.name === 'help' && root.commands?.includes(node))
    return { words: helpCandidates(root, operands.slice(0, count)) };
  return argument ? valuesOf(argument, last) : { words: [] };
}

/** Joins `--flag=value`, which bash splits into three words. */
function joinAssignments(typed: readonly string[]): string[] {
  const words: string[] = [];
  for (const [i, word] of typed.entries()) {
    const before = words.at(-1);
    const isJoined = word === '=' ? before?.startsWith('--') : typed[i - 1] === '=' && before?.endsWith('=');
    if (isJoined && before !== undefined) words[words.length - 1] = before + word;
    else words.push(word);
  }
  return words;
}

function values(input: Flag | Argument, start: string, node: CommandNode): Candidates {
  // Of several comma-separated names only the last is completed; the others stay.
  const head = input.completes === 'properties' ? start.slice(0, start.lastIndexOf(',') + 1) : '';
  return { words: valueWords(input, node).map((word) => [head + word, '']), files: input.completes === 'file' };
}

/** The candidates for the value of a flag or an argument: from its schema, or the properties of the result. */
function valueWords({ schema, completes }: Flag | Argument, { operation }: CommandNode): readonly string[] {
  if (completes === 'properties') return operation ? propertiesIn(operation) : [];
  return kindOf(schema) === 'boolean' ? ['true', 'false'] : enumWords(schema);
}

function flagCandidates(node: CommandNode): Candidates['words'] {
  return flagsOf(node).flatMap((flag) => flagWords(flag).map((word) => [word, flag.description] as const));
}

function commandCandidates(node: CommandNode): Candidates['words'] {
  return (node.commands ?? []).map(({ name, summary }) => [name, summary]);
}

function helpCandidates(root: CommandNode, path: readonly string[]): Candidates['words'] {
  const located = [...walk(root)].find((one) => one.path.join(' ') === path.join(' '));
  return located ? commandCandidates(located.node) : [];
}
