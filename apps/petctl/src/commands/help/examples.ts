import { isBinary, type Operation, propertiesOf, resolved, typeIn } from '@petstore/types';
import type { CommandNode } from '../../parse/command.ts';
import type { Flag, Rules } from '../../settings/flag.ts';
import { kindOf, wordsOf } from '../../settings/value.ts';

/** Examples for the command of an operation, from the spec: its arguments, and a description. */
export function operationExamples({ operation, args = [], flags = [] }: CommandNode): [line: string, does: string][] {
  if (!operation) return [];
  const values = args.map(({ rules }) => example('', rules)).join(' ');
  const required = flags.filter((flag) => flag.required).map(flagged);
  const chosen = flags.find((flag) => flag.field !== undefined && !flag.required && wordsOf(flag.rules).length > 0);
  const plain = [values, ...required].filter(Boolean).join(' ');
  const lines: [string, string][] = [[plain, operation.summary]];
  if (chosen) lines.push([`${plain} ${flagged(chosen)}`.trim(), `With ${chosen.name}`]);
  if (operation.pagination) lines.push([`${plain} --all -o jsonl`.trim(), 'All pages, one JSON object per line']);
  if (operation.body && !plain.includes('--data'))
    lines.push([`${values} --data @body.json`.trim(), 'With the body from a file']);
  return lines;
}

const flagged = ({ name, field, rules }: Flag) => {
  if (field === 'body' && name === 'data') return '--data @body.json';
  return kindOf(rules) === 'boolean' ? `--${name}` : `--${name} ${example(name, rules)}`;
};

/** A valid example value. */
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
      return `'${JSON.stringify(exampleOf(rules))}'`;
    default:
      return `'a ${name}'`;
  }
}

/** A value as JSON has it: an object with what it requires. */
function exampleOf(rules: Rules): unknown {
  const [alternative] = resolved(rules).oneOf ?? resolved(rules).anyOf ?? [];
  if (alternative) return exampleOf(alternative);
  const { required = [], items = {}, minItems = 0 } = resolved(rules);
  switch (kindOf(rules)) {
    case 'object': {
      const properties = propertiesOf(rules);
      return Object.fromEntries(
        required.flatMap((name) => {
          const { [name]: property = {} } = properties;
          return resolved(property).readOnly ? [] : [[name, exampleOf(property)]];
        }),
      );
    }
    case 'array':
      return minItems > 0 ? [exampleOf(items)] : [];
    case 'integer':
    case 'number':
      return Number(wordsOf(rules)[0] ?? Math.max(1, resolved(rules).minimum ?? 1));
    case 'boolean':
      return true;
    default:
      return wordsOf(rules)[0] ?? 'text';
  }
}

/** Examples of raw requests: a list with a query, and a creation with its required fields. */
export function apiExamples(operations: readonly Operation[]): [line: string, does: string][] {
  const plain = operations.filter(({ path }) => !path.includes('{'));
  const examples: [string, string][] = [];
  const list = plain.find(({ method }) => method === 'GET');
  if (list) {
    const [query] = fieldsOf(list, ({ in: location }) => location === 'query');
    examples.push([`GET ${list.path}${query ?? ''}`, query ? 'With a query' : 'Without any input']);
  }
  const creation = plain.find(({ method, body }) => method === 'POST' && body?.kind === 'json');
  if (creation) {
    const body = fieldsOf(creation, ({ in: location, required }) => location === 'body' && required).join('');
    if (body !== '') examples.push([`POST ${creation.path}${body}`, 'With a body; := sets JSON']);
    examples.push([`POST ${creation.path} --input body.json`, 'With a body from a file']);
  }
  return examples;
}

type Field = Operation['fields'][string];

/** Fields as command line words with example values. */
function fieldsOf({ fields }: Operation, isWanted: (field: Field) => boolean): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isWanted(field))
    .map(([name, { in: location, schema }]) => {
      const value = schema.default ?? schema.enum?.[0];
      const number = Math.max(1, schema.minimum ?? 1);
      switch (typeIn(schema)) {
        case 'string':
          return ` -f ${name}=${value ?? `a-${name}`}`;
        case 'integer':
        case 'number':
          return location === 'query' ? ` -f ${name}=${value ?? number}` : ` -f '${name}:=${value ?? number}'`;
        case 'boolean':
          return ` -f '${name}:=true'`;
        default:
          return ` -f '${name}:=${typeIn(schema) === 'array' ? '[]' : '{}'}'`;
      }
    });
}
