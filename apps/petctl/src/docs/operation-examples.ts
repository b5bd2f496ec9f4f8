import { isBinary, resolved } from '@petstore/types';
import { kindOf, wordsOf } from '../parse/value.ts';
import type { CommandNode, Flag, Rules } from '../tree/node.ts';

/** What comes behind the name of an operation's command, as the spec has it, and what it does. */
export function operationExamples({ operation, args = [], flags = [] }: CommandNode): [line: string, does: string][] {
  if (!operation) return [];
  const given = args.map(({ rules }) => example('', rules)).join(' ');
  const required = flags.filter((flag) => flag.required).map(flagged);
  const chosen = flags.find((flag) => flag.field !== undefined && !flag.required && wordsOf(flag.rules).length > 0);
  const plain = [given, ...required].filter(Boolean).join(' ');
  const lines: [string, string][] = [[plain, operation.summary]];
  if (chosen) lines.push([`${plain} ${flagged(chosen)}`.trim(), `With ${chosen.name}`]);
  if (operation.pagination) lines.push([`${plain} --all -o jsonl`.trim(), 'All of them, one JSON object a line']);
  if (operation.body && !plain.includes('--data'))
    lines.push([`${given} --data @body.json`.trim(), 'With the body from a file']);
  return lines;
}

const flagged = ({ name, field, rules }: Flag) => {
  if (field === 'body' && name === 'data') return '--data @body.json';
  return kindOf(rules) === 'boolean' ? `--${name}` : `--${name} ${example(name, rules)}`;
};

/** A value that the rules allow, to show how one looks. */
function example(name: string, rules: Rules): string {
  const { minimum = 1, items = {} } = resolved(rules);
  const [word] = wordsOf(rules);
  if (word !== undefined) return word;
  if (isBinary(rules)) return `@${name}.bin`;
  switch (kindOf(rules)) {
    case 'integer':
    case 'number':
      return String(Math.max(1, minimum));
    case 'boolean':
      return 'true';
    case 'array':
      return example(name, items);
    case 'object':
      return "'{}'";
    default:
      return `'a ${name}'`;
  }
}
