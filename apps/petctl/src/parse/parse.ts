import { suggestion, UsageError } from '../errors/errors.ts';
import type { Argument, CommandNode, Flag, Located } from '../tree/node.ts';
import { globalFlags } from '../tree/shared-flags.ts';
import type { Level } from './level.ts';
import { expected, kindOf, readValue, wordsOf } from './value.ts';

/** A command line that was read: which command, with which arguments and flags. */
export interface Parsed extends Located {
  readonly args: readonly unknown[];
  readonly flags: ReadonlyMap<string, unknown>;
}

/** Reads what stands up to the next command. */
type ReadLevel = (node: CommandNode, words: readonly string[], line: string) => Level;

/** Reads the command line by the tree. The flags that every command takes may stand before its name too. */
export function parse(root: CommandNode, argv: readonly string[], readLevel: ReadLevel): Parsed {
  const path: string[] = [];
  const flags = new Map<string, unknown>();
  let node = root;
  let words = argv;
  while (true) {
    const line = ['petctl', ...path].join(' ');
    if (node.verbatim) return { path, node, args: words, flags };
    const level = readLevel(node, words, line);
    for (const [name, value] of level.flags) {
      if (flags.has(name) && !isSwitch(node, name)) throw repeatedFlag(name);
      flags.set(name, name === 'verbose' ? Number(flags.get(name) ?? 0) + Number(value) : value);
    }
    // Behind a command's name, --version is what the command takes by that name.
    if (node === root && flags.has('version')) return { path, node, args: [], flags };
    const [word, ...others] = level.operands;
    if (!node.commands || word === undefined) {
      const args = flags.has('help') ? [] : readArguments(node, level.operands, line);
      return { path, node, args, flags };
    }
    node = childOf(node, word, line);
    path.push(word);
    words = others;
  }
}

/** All flags of a command, its own first. */
export function flagsOf(node: CommandNode): readonly Flag[] {
  return [...(node.flags ?? []), ...sharedFlagsOf(node)];
}

/** The flags of every command, as this one takes them: without the letters that its own flags have. */
export function sharedFlagsOf({ flags = [] }: CommandNode): readonly Flag[] {
  const letters = flags.flatMap(({ short }) => short ?? []);
  return globalFlags.map((flag) => {
    if (flag.short === undefined || !letters.includes(flag.short)) return flag;
    const { short, ...rest } = flag;
    return rest;
  });
}

export function repeatedFlag(name: string): UsageError {
  return new UsageError(`--${name} is given twice.`, 'It takes one value.');
}

function isSwitch(node: CommandNode, name: string): boolean {
  return flagsOf(node).some((flag) => flag.name === name && kindOf(flag.rules) === 'boolean');
}

function childOf({ commands = [] }: CommandNode, word: string, line: string): CommandNode {
  const child = commands.find(({ name }) => name === word);
  if (child) return child;
  const names = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  throw new UsageError(
    `There is no command '${line} ${word}'.`,
    suggestion(word, names, `There are ${names.join(', ')}.`),
  );
}

function readArguments({ args = [] }: CommandNode, words: readonly string[], line: string): unknown[] {
  const rest = args.at(-1)?.rest;
  const excess = rest ? undefined : words[args.length];
  if (excess !== undefined)
    throw new UsageError(`'${line}' takes no '${excess}'.`, `'${line} --help' shows what it takes.`);
  const missing = args.slice(words.length).find(({ required }) => required);
  if (missing) throw new UsageError(`<${missing.name}> is missing.`, `'${line} --help' shows how.`);
  return words.map((word, i) => readArgument(args[Math.min(i, args.length - 1)], word));
}

function readArgument(argument: Argument | undefined, word: string): unknown {
  if (!argument) return word;
  const read = readValue(word, argument.rules);
  if ('value' in read) return read.value;
  throw new UsageError(
    `<${argument.name}> '${word}' ${read.fault}.`,
    suggestion(word, wordsOf(argument.rules), `It has to be ${expected(argument.rules)}.`),
  );
}
