import { Command, Option } from 'commander';
import { suggestion, UnreadableError, UsageError } from '../errors/errors.ts';
import type { CommandNode, Flag } from '../tree/node.ts';
import { flagsOf, repeatedFlag } from './parse.ts';
import { checked, expected, kindOf, readPart, readValue, wordsOf } from './value.ts';

/** What stands on the command line up to the next command: flags, and the words that are none. */
export interface Level {
  readonly flags: ReadonlyMap<string, unknown>;
  readonly operands: readonly string[];
}

/** Reads the flags of a command by their rules. In a group, words behind the first one that is no flag are left as they are. */
export function readLevel(node: CommandNode, words: readonly string[], line: string): Level {
  const values = new Map<string, unknown>();
  const group = node.commands !== undefined;
  if (group && !words[0]?.startsWith('-')) return { flags: values, operands: words };
  const flags = flagsOf(node);
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
  // To declare all flags takes commander longer than to read those that are there.
  const named = flags.filter((flag) => words.some((word) => isNamedBy(word, flag)));
  for (const flag of named) addFlag(command, flag, words, values);
  command.parse([...words], { from: 'user' });
  for (const flag of named) checkWhole(flag, values.get(flag.name));
  return { flags: values, operands: command.args };
}

/** Whether a word may name a flag. */
function isNamedBy(word: string, { name, short, negatable }: Flag): boolean {
  const [start = ''] = word.split('=', 1);
  if (start.startsWith('--')) return start === `--${name}` || (negatable === true && start === `--no-${name}`);
  return short !== undefined && word.startsWith('-') && word.includes(short);
}

function addFlag(command: Command, flag: Flag, words: readonly string[], values: Map<string, unknown>): void {
  const { name, short, rules, repeatable, value } = flag;
  const names = `${short ? `-${short}, ` : ''}--${name}`;
  if (kindOf(rules) === 'boolean') return addSwitch(command, flag, names, words, values);
  const read = (text: string) => {
    const before = values.get(name);
    if (before !== undefined && !repeatable) throw repeatedFlag(name);
    values.set(name, combined(before, readFlag(flag, text), flag));
    return text;
  };
  command.addOption(new Option(`${names} <${value ?? kindOf(rules)}>`).argParser(read));
}

/** A flag of a boolean: `--flag`, `--flag=true`, `--flag=false` and, where it is negatable, `--no-flag`. */
function addSwitch(
  command: Command,
  { name, negatable, repeatable }: Flag,
  names: string,
  words: readonly string[],
  values: Map<string, unknown>,
): void {
  const set = (value: boolean) => {
    // A switch that has no other default than off is off without an entry.
    if (!value && !negatable) values.delete(name);
    else values.set(name, repeatable ? Number(values.get(name) ?? 0) + 1 : value);
  };
  command.addOption(new Option(names));
  command.on(`option:${name}`, () => set(true));
  // commander takes no value with =, but an option whose name is the whole word.
  for (const word of new Set(words.filter((one) => one.startsWith(`--${name}=`)))) {
    const option = new Option(`--${name}`);
    option.long = word;
    command.addOption(option);
    command.on(`option:${word.slice(2)}`, () => {
      const text = word.slice(name.length + 3);
      if (text !== 'true' && text !== 'false')
        throw new UsageError(`--${name} '${text}' is no true or false.`, `Give --${name}=true or --${name}=false.`);
      set(text === 'true');
    });
  }
  if (!negatable) return;
  command.addOption(new Option(`--no-${name}`));
  command.on(`option:no-${name}`, () => set(false));
}

/** A flag's value with those of its further occurrences: lists and maps grow. */
function combined(before: unknown, value: unknown, { rules, repeatable }: Flag): unknown {
  if (!repeatable || value === null) return value;
  const kind = kindOf(rules);
  if (kind === 'object') return Object.assign({}, before, value);
  const values = kind === 'array' && Array.isArray(value) ? value : [value];
  return Array.isArray(before) ? [...before, ...values] : values;
}

/** Checks a list by its own bounds, once all of it is there. An object may still get properties from other flags. */
function checkWhole({ name, rules }: Flag, value: unknown): void {
  if (value === undefined || kindOf(rules) !== 'array') return;
  const read = checked(value, rules);
  if ('fault' in read) throw new UsageError(`--${name} ${read.fault}.`, `It has to be ${expected(rules)}.`);
}

function readFlag({ name, rules }: Flag, text: string): unknown {
  const isWhole = !/^(array|object)$/.test(kindOf(rules));
  const read = isWhole ? readValue(text, rules) : readPart(text, rules);
  if ('value' in read) return read.value;
  throw new UsageError(
    `--${name} '${text}' ${read.fault}.`,
    suggestion(text, wordsOf(rules), `It has to be ${expected(rules)}.`),
  );
}
