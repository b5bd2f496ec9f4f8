import { Help } from 'commander';
import type { Argument, Flag } from '../../flags/flag.ts';
import { boundsOf, kindOf } from '../../flags/parse-value.ts';
import { suggestion, UsageError } from '../../io/errors.ts';
import type { Io } from '../../io/process-io.ts';
import { isColored } from '../../output/print.ts';
import {
  type CommandAtPath,
  type CommandNode,
  type Example,
  globalFlagsFor,
  type Invocation,
} from '../../parse/command.ts';
import { isSettingName, settings } from '../../settings/settings.ts';
import { environmentRows, exitCodeRows, type Row } from './reference.ts';

/** Help for a command. */
export async function helpOn({ io, args, root, flags }: Invocation): Promise<void> {
  const words = args.flat().map(String);
  let node: CommandNode = root;
  for (const [i, word] of words.entries()) {
    const { commands = [] } = node;
    const child = commands.find(({ name }) => name === word);
    const names = commands.map(({ name }) => name);
    const fallback =
      names.length > 0 ? `There is help for ${names.join(', ')}.` : `See 'petctl help ${words.slice(0, i).join(' ')}'.`;
    if (!child) throw new UsageError(`There is no help for '${words.join(' ')}'.`, suggestion(word, names, fallback));
    node = child;
  }
  await io.stdout.write(help({ path: words, node }, io, flags));
}

/** The help of a command: examples and usage, then commands, arguments and flags. */
export function help({ path, node }: CommandAtPath, io: Io, flags: Invocation['flags'] = new Map()): string {
  const width = Math.min(io.stdout.columns || 100, 100);
  const isBold = isColored(flags, io);
  const title = (text: string) => (isBold ? `\u001b[1m${text}\u001b[22m` : text);
  const parts = [wrap(node.description ?? node.summary, width)];
  if (node.notice) parts.push(wrap(node.notice, width));
  for (const [name, lines] of sections({ path, node }, width)) {
    if (lines.length > 0) parts.push([title(name), ...lines].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function sections({ path, node }: CommandAtPath, width: number): [title: string, lines: string[]][] {
  const rows = {
    Commands: (node.commands ?? []).map((one) => [one.name, one.summary + stateOf(one)] as const),
    Arguments: (node.args ?? []).map(argumentRow),
    Flags: (node.flags ?? []).map(flagRow),
    'Flags of every command': globalFlagsFor(node).map(flagRow),
    'Environment variables': path.length > 0 ? [] : environmentRows(),
    'Exit codes': path.length > 0 ? [] : exitCodeRows(),
  };
  return [
    ['Examples', examplesOf({ path, node }).map(([line, comment]) => `  ${line.padEnd(46)}  # ${comment}`)],
    ['Usage', [`  ${usage({ path, node })}`]],
    ...Object.entries(rows).map(([title, all]): [string, string[]] => [title, inColumns(all, width)]),
  ];
}

/** The state of a command in a list: deprecated, experimental or beta. */
function stateOf({ operation }: CommandNode): string {
  const all = [operation?.deprecated && 'deprecated', operation?.stability].filter(Boolean);
  return all.length > 0 ? ` (${all.join(', ')})` : '';
}

/** Complete command lines with comments. */
export function examplesOf({ path, node }: CommandAtPath): readonly Example[] {
  // A group shows the first example of each of its commands.
  if (node.commands)
    return node.commands.flatMap((child) => examplesOf({ path: [...path, child.name], node: child }).slice(0, 1));
  return (node.examples ?? []).map(
    ([line, comment]) => [['petctl', ...path, line].filter(Boolean).join(' '), comment] as const,
  );
}

/** The usage line of a command: `petctl users get <user-id> [flags]`. */
export function usage({ path, node }: CommandAtPath): string {
  const words = node.commands ? ['<command>'] : (node.args ?? []).map(argumentName);
  return ['petctl', ...path, ...words, '[flags]'].join(' ');
}

/** Lines of names and wrapped descriptions. */
function inColumns(rows: readonly Row[], width: number): string[] {
  const left = Math.min(Math.max(0, ...rows.map(([name]) => name.length)), 26);
  return rows.map(([name, description]) => {
    const indent = ' '.repeat(left + 4);
    const text = wrap(description, Math.max(1, width - indent.length)).replaceAll('\n', `\n${indent}`);
    return name.length > left ? `  ${name}\n${indent}${text}` : `  ${name.padEnd(left)}  ${text}`;
  });
}

// Wraps on narrow terminals, too.
const layout = Object.assign(new Help(), { minWidthToWrap: 1 });

function wrap(text: string, width: number): string {
  return layout.boxWrap(text.replaceAll(/\s+/g, ' '), width);
}

/** A flag with its description. */
export function flagRow(flag: Flag): Row {
  return [flagNames(flag), describeFlag(flag)];
}

/** An argument with its description. */
export function argumentRow(argument: Argument): Row {
  return [argumentName(argument), withNotes(argument, [])];
}

/** The names and the value of a flag: `-o, --output <format>`. */
function flagNames({ name, short, negatable, schema, valueName }: Flag): string {
  const names = `${short ? `-${short}, ` : ''}--${negatable ? '[no-]' : ''}${name}`;
  const kind = kindOf(schema);
  return kind === 'boolean' ? names : `${names} <${valueName ?? kind}>`;
}

/** An argument in a usage line: `<user-id>` or `[topic...]`. */
function argumentName({ name, required, rest }: Argument): string {
  const text = rest ? `${name}...` : name;
  return required ? `<${text}>` : `[${text}]`;
}

/** The description of a flag, with bounds and defaults. */
function describeFlag(flag: Flag): string {
  const { name, field, required, schema, collidesWith } = flag;
  const setting = field === undefined && isSettingName(name) ? settings[name] : undefined;
  return withNotes(flag, [
    required && 'required',
    ...repetitionNotes(flag),
    collidesWith !== undefined && `--${collidesWith} is petctl's`,
    schema.default !== undefined && `server default: ${schema.default}`,
    schema.deprecated && 'deprecated',
    setting?.defaultText && `default: ${setting.defaultText}`,
    setting?.variable,
  ]);
}

/** Notes on repetition and on several values in one flag. */
function repetitionNotes({ repeatable, schema }: Flag): string[] {
  const kind = kindOf(schema);
  if (!repeatable || kind === 'boolean') return [];
  if (kind === 'array') return ['repeatable', 'or a,b or JSON'];
  return kind === 'object' ? ['repeatable', 'key=value or JSON'] : ['repeatable'];
}

/** A description, with bounds and more notes. */
function withNotes({ description, schema }: Flag | Argument, more: readonly (string | false | undefined)[]): string {
  const notes = [boundsOf(schema), ...more].filter((note) => note);
  return notes.length > 0 ? `${description.replace(/\.$/, '')} (${notes.join('; ')}).` : description;
}
