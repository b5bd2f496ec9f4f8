import { Command, Option } from 'commander';
import { suggestion, UnreadableError, UsageError } from '../errors/errors.ts';
import type { Flag } from '../tree/node.ts';
import { givenTwice } from './parse.ts';
import { expected, kindOf, readValue } from './value.ts';

/** What stands on the command line up to the next command: flags, and the words that are none. */
export interface Level {
  readonly flags: ReadonlyMap<string, unknown>;
  readonly operands: readonly string[];
}

/** Reads flags by their rules. With `group`, what follows the first word that is no flag is left as it is. */
export function readLevel(flags: readonly Flag[], words: readonly string[], line: string, group: boolean): Level {
  const given = new Map<string, unknown>();
  if (group && !words[0]?.startsWith('-')) return { flags: given, operands: words };
  const command = new Command(line)
    .helpOption(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments()
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .exitOverride((error) => {
      throw new UnreadableError(error.code, error.message, flags, line);
    })
    .action(() => {});
  if (group) command.passThroughOptions();
  // To be told of all flags takes commander longer than to read those that are there.
  for (const flag of flags) if (words.some((word) => names(flag, word))) addFlag(command, flag, given);
  command.parse([...words], { from: 'user' });
  return { flags: given, operands: command.args };
}

/** Whether a word may name a flag. */
function names({ name, short, negatable }: Flag, word: string): boolean {
  const [start = ''] = word.split('=', 1);
  if (start.startsWith('--')) return start === `--${name}` || (negatable === true && start === `--no-${name}`);
  return short !== undefined && word.startsWith('-') && word.includes(short);
}

function addFlag(command: Command, flag: Flag, given: Map<string, unknown>): void {
  const { name, short, rules, negatable, repeatable, value } = flag;
  const names = `${short ? `-${short}, ` : ''}--${name}`;
  if (kindOf(rules) === 'boolean') {
    command.addOption(new Option(names));
    command.on(`option:${name}`, () => given.set(name, repeatable ? Number(given.get(name) ?? 0) + 1 : true));
    if (!negatable) return;
    command.addOption(new Option(`--no-${name}`));
    command.on(`option:no-${name}`, () => given.set(name, false));
    return;
  }
  const read = (text: string) => {
    const before = given.get(name);
    if (before !== undefined && !repeatable) throw givenTwice(name);
    const one = readFlag(flag, text);
    given.set(name, repeatable && Array.isArray(before) ? [...before, one] : repeatable ? [one] : one);
    return text;
  };
  command.addOption(new Option(`${names} <${value ?? kindOf(rules)}>`).argParser(read));
}

function readFlag({ name, rules }: Flag, text: string): unknown {
  // Each element of a list is given by itself.
  const isList = kindOf(rules) === 'array';
  if (isList && !rules.items) return text;
  const one = isList ? (rules.items ?? {}) : rules;
  const read = readValue(text, one);
  if ('value' in read) return read.value;
  throw new UsageError(
    `--${name} '${text}' ${read.fault}.`,
    suggestion(text, (one.enum ?? []).map(String), `It has to be ${expected(one)}.`),
  );
}
