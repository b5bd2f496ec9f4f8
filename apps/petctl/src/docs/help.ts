import type { Io } from '../io.ts';
import { sharedFlagsOf } from '../parse/parse.ts';
import type { CommandNode, Located } from '../tree/node.ts';
import { aboutArgument, aboutFlag, argumentName, flagNames } from './flag-text.ts';
import { operationExamples } from './operation-examples.ts';
import { topics } from './topics.ts';

/** The help of a command: examples first, then all that it takes. */
export function help({ path, node }: Located, { stdout, env }: Io): string {
  const width = Math.min(stdout.columns || 100, 100);
  const bold = stdout.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
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
        shown.map((one) => [one.name, one.summary + marks(one)]),
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

/** What a list of commands says of the future of one. */
function marks({ operation }: CommandNode): string {
  const all = [operation?.deprecated && 'deprecated', operation?.stability].filter(Boolean);
  return all.length > 0 ? ` (${all.join(', ')})` : '';
}

/** Whole lines to copy, and what each does. */
export function examplesOf({ path, node }: Located): (readonly [line: string, does: string])[] {
  const lines = node.examples ?? (node.operation && operationExamples(node));
  const own = lines?.map(([line, does]) => [['petctl', ...path, line].filter(Boolean).join(' '), does] as const);
  if (own) return own;
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
