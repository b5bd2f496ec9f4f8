import { createReadStream } from 'node:fs';
import {
  closest,
  isInt64,
  type Operation,
  parseExact,
  parseScalar,
  repeatedKey,
  type Schema,
  typeIn,
} from '@petstore/types';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './errors.ts';
import { codeOf, isObject, kebab } from './text.ts';

/** The input of an operation: parameters and members of the body by name. */
export type Input = Record<string, unknown>;

/** The value that a text of a flag, an argument or a CSV cell has by its schema. Throws if it is invalid. */
export function parseValue(text: string, schema: Schema): unknown {
  const type = typeIn(schema) ?? 'string';
  const value = type === 'string' ? text : parseScalar(text, type);
  if (value !== undefined && isAllowed(value, schema)) return value;
  throw new InvalidArgumentError(`It must be ${expected(schema)}.`);
}

function isAllowed(value: string | number | bigint | boolean, schema: Schema): boolean {
  const { enum: values, format, minimum, maximum } = schema;
  if (values) return values.includes(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return true;
  if (format === 'int64' && typeof value === 'bigint' && !isInt64(value)) return false;
  return !(minimum !== undefined && value < minimum) && !(maximum !== undefined && value > maximum);
}

/** The values that a schema allows: `a whole number from 1 to 100`. */
function expected(schema: Schema): string {
  const { enum: values, type, format } = schema;
  if (values) return `one of ${values.join(', ')}`;
  const kind =
    type === 'integer' ? `a ${format === 'int64' ? '64-bit ' : ''}whole number` : `a ${type}`;
  return kind + range(schema);
}

/** ` from 1 to 100`; empty without bounds. */
export function range({ minimum, maximum }: Schema): string {
  const parts = [
    minimum !== undefined && ` from ${minimum}`,
    maximum !== undefined && ` to ${maximum}`,
  ];
  return parts.filter(Boolean).join('');
}

/** The input in `--data`: JSON, `@FILE`, or `-` for stdin. */
export async function readData(data: string, operation: Operation): Promise<Input> {
  const value = parseJson(await readWord(data), '--data');
  return operation.body?.whole ? { body: value } : checkMembers(value, operation, '--data');
}

/** Parses JSON exactly. Throws a UsageError for JSON that would not be sent as it is written. */
export function parseJson(text: string, source: string): unknown {
  try {
    const value = parseExact(text.replace(/^\ufeff/, ''));
    const repeated = repeatedKey(text);
    if (repeated === undefined) return value;
    throw new Error(`it has the member '${repeated}' twice`);
  } catch (error) {
    throw new UsageError(`${source}: ${codeOf(error)}.`);
  }
}

/** Throws if a value is not an object with members of an operation's body. */
export function checkMembers(value: unknown, { fields }: Operation, source: string): Input {
  if (!isObject(value)) throw new UsageError(`${source}: it is not a JSON object.`);
  const names = Object.keys(fields).filter((name) => fields[name]?.in === 'body');
  checkNames(Object.keys(value), names, source);
  return value;
}

/** Throws if a name is not known. */
export function checkNames(
  names: readonly string[],
  known: readonly string[],
  source: string,
): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const similar = closest(unknown, known);
  const hint = similar === undefined ? `Use ${known.join(', ')}.` : `Did you mean '${similar}'?`;
  throw new UsageError(`${source}: there is no member '${unknown.slice(0, 40)}'.`, hint);
}

/** Throws if a required input is missing. */
export function checkComplete(input: Input, { fields, body }: Operation, source?: string): Input {
  const missing = Object.keys(fields).filter(
    (name) => fields[name]?.required && input[name] === undefined,
  );
  if (missing.length === 0) return input;
  if (source) throw new UsageError(`${source}: ${missing.join(' and ')} missing.`);
  const flags = missing.map((name) =>
    name === 'body' && body?.whole ? '--data' : `--${kebab(name)}`,
  );
  throw new UsageError(
    `${flags.join(' and ')} missing.`,
    body && 'Use flags, or members of --data.',
  );
}

/** More than servers accept, so that an endless device does not fill the memory. */
const MAX_MIB = 64;

/** A word itself, or the text of the file or of stdin that it names. */
export async function readWord(word: string): Promise<string> {
  if (word !== '-' && !word.startsWith('@')) return word;
  try {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of word === '-' ? process.stdin : createReadStream(word.slice(1))) {
      parts.push(part);
      length += part.length;
      if (length > MAX_MIB * 2 ** 20) throw new Error(`more than ${MAX_MIB} MiB`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (error) {
    throw new UsageError(
      `${word} cannot be read (${codeOf(error)}).`,
      'Check its name, permissions and encoding.',
    );
  }
}
