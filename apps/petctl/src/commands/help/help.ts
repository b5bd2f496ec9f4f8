import { suggestion, UsageError } from '../../io/errors.ts';
import type { Io } from '../../io/io.ts';
import { colored } from '../../output/options.ts';
import type { CommandNode, Invocation, Located } from '../../parse/command.ts';
import { sharedFlagsOf } from '../../parse/command.ts';
import type { Argument, Flag } from '../../settings/flag.ts';
import { isSettingName } from '../../settings/profiles.ts';
import { settings } from '../../settings/settings.ts';
import { boundsOf, kindOf } from '../../settings/value.ts';
import { operationExamples } from './examples.ts';
import { topics } from './topics.ts';

/** Help for a command, or on a topic. */
export async function helpOn({ io, args, root, flags }: Invocation): Promise<void> {
  const words = args.map(String);
  const topic = words.length === 1 ? topics().find(({ name }) => name === words[0]) : undefined;
  if (topic) return io.stdout.write(`${topic.title}\n\n${topic.text}\n`);
  let node: CommandNode = root;
  for (const word of words) {
    const { commands = [] } = node;
    const child = commands.find(({ name }) => name === word);
    const names = [...commands.map(({ name }) => name), ...(node === root ? topics().map(({ name }) => name) : [])];
    if (!child)
      throw new UsageError(
        `There is no help for '${words.join(' ')}'.`,
        suggestion(word, names, `There is help for ${names.join(', ')}.`),
      );
    node = child;
  }
  await io.stdout.write(help({ path: words, node }, io, flags));
}

/** The help of a command: examples, usage, then commands, arguments and flags. */
export function help({ path, node }: Located, io: Io, flags: Invocation['flags'] = new Map()): string {
  const width = Math.min(io.stdout.columns || 100, 100);
  const bold = colored(flags, io);
  const title = (text: string) => (bold ? `\u001b[1m${text}\u001b[22m` : text);
  const parts = [wrapped(node.description ?? node.summary, width, '')];
  if (node.notice) parts.push(wrapped(node.notice, width, ''));
  for (const [name, lines] of sections({ path, node }, width)) {
    if (lines.length > 0) parts.push([title(name), ...lines].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function sections({ path, node }: Located, width: number): [title: string, lines: string[]][] {
  const flags = node.flags ?? [];
  const shown = (node.commands ?? []).filter(({ hidden }) => !hidden);
  return [
    ['Examples', examplesOf({ path, node }).map(([line, does]) => `  ${line.padEnd(46)}  # ${does}`)],
    ['Usage', [`  ${usage({ path, node })}`]],
    [
      'Commands',
      pairs(
        shown.map((one) => [one.name, one.summary + stateOf(one)]),
        width,
      ),
    ],
    [
      'Arguments',
      pairs(
        (node.args ?? []).map((one) => [argumentName(one), aboutArgument(one)]),
        width,
      ),
    ],
    [
      'Flags',
      pairs(
        flags.map((one) => [flagNames(one), aboutFlag(one)]),
        width,
      ),
    ],
    [
      'Flags of every command',
      pairs(
        sharedFlagsOf(node).map((one) => [flagNames(one), aboutFlag(one)]),
        width,
      ),
    ],
    [
      'More',
      path.length > 0
        ? []
        : pairs(
            topics().map(({ name, title }) => [`petctl help ${name}`, title]),
            width,
          ),
    ],
  ];
}

/** The state of a command in a list: deprecated, experimental or beta. */
function stateOf({ operation }: CommandNode): string {
  const all = [operation?.deprecated && 'deprecated', operation?.stability].filter(Boolean);
  return all.length > 0 ? ` (${all.join(', ')})` : '';
}

/** Complete example lines with descriptions. */
export function examplesOf({ path, node }: Located): (readonly [line: string, does: string])[] {
  const lines = node.examples ?? (node.operation && operationExamples(node));
  const examples = lines?.map(([line, does]) => [['petctl', ...path, line].filter(Boolean).join(' '), does] as const);
  if (examples) return examples;
  // A group shows the first example of each of its commands.
  return (node.commands ?? [])
    .filter(({ hidden }) => !hidden)
    .flatMap((child: CommandNode) => examplesOf({ path: [...path, child.name], node: child }).slice(0, 1));
}

/** `petctl users get <user-id> [flags]`. */
export function usage({ path, node }: Located): string {
  const words = node.commands ? ['<command>'] : (node.args ?? []).map(argumentName);
  return ['petctl', ...path, ...words, '[flags]'].join(' ');
}

function pairs(rows: readonly (readonly [string, string])[], width: number): string[] {
  const left = Math.min(Math.max(0, ...rows.map(([name]) => name.length)), 26);
  return rows.map(([name, about]) => {
    const indent = ' '.repeat(left + 4);
    const text = wrapped(about, width, indent);
    return name.length > left ? `  ${name}\n${indent}${text}` : `  ${name.padEnd(left)}  ${text}`;
  });
}

function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line && indent.length + line.length + word.length + 1 > width) {
      lines.push(line);
      line = '';
    }
    line += line ? ` ${word}` : word;
  }
  return [...lines, line].join(`\n${indent}`);
}

/** `-o, --output <format>`. */
export function flagNames({ name, short, negatable, rules, value }: Flag): string {
  const names = `${short ? `-${short}, ` : ''}--${negatable ? '[no-]' : ''}${name}`;
  const kind = kindOf(rules);
  return kind === 'boolean' ? names : `${names} <${value ?? kind}>`;
}

/** `<user-id>`, or `[topic...]`. */
export function argumentName({ name, required, rest }: Argument): string {
  const text = rest ? `${name}...` : name;
  return required ? `<${text}>` : `[${text}]`;
}

/** The description of a flag, with bounds and defaults. */
export function aboutFlag(flag: Flag): string {
  const { name, field, required, rules, insteadOf } = flag;
  const setting = field === undefined && isSettingName(name) ? settings[name] : undefined;
  return withNotes(flag, [
    required && 'required',
    ...occurrences(flag),
    insteadOf !== undefined && `--${insteadOf} is petctl's`,
    rules.default !== undefined && `server default: ${rules.default}`,
    rules.deprecated && 'deprecated',
    setting?.defaultText && `default: ${setting.defaultText}`,
    setting?.env,
  ]);
}

/** Notes on repeated flags and several values in one flag. */
function occurrences({ repeatable, field, property, rules }: Flag): string[] {
  const kind = kindOf(rules);
  if (!repeatable || kind === 'boolean') return [];
  const input = (field ?? property) !== undefined;
  const inOne =
    input && kind === 'array' ? 'or a,b or JSON' : input && kind === 'object' ? 'key=value or JSON' : undefined;
  return ['repeatable', ...(inOne ? [inOne] : [])];
}

export function aboutArgument(argument: Argument): string {
  return withNotes(argument, []);
}

function withNotes({ description, rules }: Flag | Argument, more: readonly (string | false | undefined)[]): string {
  const notes = [boundsOf(rules), ...more].filter((note) => note);
  return notes.length > 0 ? `${description.replace(/\.$/, '')} (${notes.join('; ')}).` : description;
}
