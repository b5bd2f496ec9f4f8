import { type Field, isBinary, type Operation, propertiesOf, resolved, type Schema, typeIn } from '@petstore/types';
import type { Argument, Flag } from '../../flags/flag.ts';
import { enumWords, kindOf, parseValue } from '../../flags/parse-value.ts';
import type { CommandNode, Example } from '../../parse/command.ts';

/** Examples for the command of an operation, from its spec: the words after the command, and a comment. */
export function operationExamples({ operation, args = [], flags = [] }: CommandNode): Example[] {
  if (!operation) return [];
  const isValid = ({ name, schema }: Flag | Argument) => 'value' in parseValue(exampleText(name, schema), schema);
  const values = args.map(({ name, schema }) => quoted(exampleText(name, schema))).join(' ');
  const required = flags.filter((flag) => flag.required);
  const optional = flags.find(
    (flag) => flag.field !== undefined && !flag.required && enumWords(flag.schema).length > 0,
  );
  const plain = [values, ...required.map(exampleFlag)].filter(Boolean).join(' ');
  const lines: Example[] = [[plain, operation.summary]];
  if (optional) lines.push([`${plain} ${exampleFlag(optional)}`.trim(), `With ${optional.name}`]);
  if (operation.pagination) lines.push([`${plain} --all -o jsonl`.trim(), 'All pages, one JSON object per line']);
  if (operation.body && !plain.includes('--data'))
    lines.push([`${values} --data @body.json`.trim(), 'With the body from a file']);
  if (!args.every(isValid)) return [];
  // Without a valid value for each required flag, only the example with --data is right.
  const areValid = required.every((flag) => flag.name === 'data' || isValid(flag));
  return areValid ? lines : lines.filter(([line]) => !line.startsWith(plain));
}

function exampleFlag({ name, field, schema, valueName }: Flag): string {
  if (field === 'body' && name === 'data') return `--data @body.${valueName === 'json' ? 'json' : 'bin'}`;
  return kindOf(schema) === 'boolean' ? `--${name}` : `--${name} ${quoted(exampleText(name, schema))}`;
}

/** Texts of formats that the server checks. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

/** A value as text: a valid one, unless the schema has a pattern or other unusual rules. */
function exampleText(name: string, schema: Schema): string {
  const [word] = enumWords(schema);
  if (word !== undefined) return word;
  if (isBinary(schema)) return `@${name}.bin`;
  const kind = kindOf(schema);
  if (kind === 'array') return exampleText(name, resolved(schema).items ?? {});
  if (kind !== 'string' && kind !== 'json') return JSON.stringify(jsonExample(schema));
  const { format = '', minLength = 0, maxLength } = resolved(schema);
  return FORMATS[format] ?? `a ${name}`.padEnd(minLength, 'x').slice(0, maxLength);
}

/** A word for a shell, in quotes if it needs them. */
function quoted(word: string): string {
  return /^[\w.,=@+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A valid value as JSON data; of an object, only the required properties. */
function jsonExample(schema: Schema): unknown {
  const [alternative] = resolved(schema).oneOf ?? resolved(schema).anyOf ?? [];
  if (alternative) return jsonExample(alternative);
  const { required = [], items = {}, minItems = 0 } = resolved(schema);
  switch (kindOf(schema)) {
    case 'object': {
      const properties = propertiesOf(schema);
      const writable = required.filter((name) => !resolved(properties[name] ?? {}).readOnly);
      return Object.fromEntries(writable.map((name) => [name, jsonExample(properties[name] ?? {})]));
    }
    case 'array':
      return minItems > 0 ? [jsonExample(items)] : [];
    case 'integer':
    case 'number':
      return Number(enumWords(schema)[0] ?? Math.max(1, resolved(schema).minimum ?? 1));
    case 'boolean':
      return true;
    default:
      return exampleText('text', schema);
  }
}

/** Examples of raw requests: a list with a query parameter, and a create with its required fields. */
export function apiExamples(operations: readonly Operation[]): Example[] {
  const plain = operations.filter(({ path }) => !path.includes('{'));
  const examples: Example[] = [];
  const list = plain.find(({ method }) => method === 'GET');
  if (list) {
    const [query] = fieldWords(list, ({ in: location }) => location === 'query');
    examples.push([`GET ${list.path}${query ?? ''}`, query ? 'With a query' : 'Without any input']);
  }
  const create = plain.find(({ method, body }) => method === 'POST' && body?.kind === 'json');
  if (create) {
    const body = fieldWords(create, ({ in: location, required }) => location === 'body' && required).join('');
    if (body !== '') examples.push([`POST ${create.path}${body}`, 'With a body; := sets JSON']);
    examples.push([`POST ${create.path} --input body.json`, 'With a body from a file']);
  }
  return examples;
}

/** Fields with example values as flags of `petctl api`. */
function fieldWords({ fields }: Operation, isIncluded: (field: Field) => boolean): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isIncluded(field))
    .map(([name, { in: location, schema }]) => {
      const isText = typeIn(schema) === 'string';
      const value = schema.default ?? (isText ? (enumWords(schema)[0] ?? `a-${name}`) : jsonExample(schema));
      const isPlain = isText || (location === 'query' && typeof value === 'number');
      return isPlain ? ` -f ${quoted(`${name}=${value}`)}` : ` -f '${name}:=${JSON.stringify(value)}'`;
    });
}
