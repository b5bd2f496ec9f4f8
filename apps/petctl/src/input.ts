import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  type Field,
  isInt64,
  type Operation,
  parseExact,
  parseScalar,
  repeatedKey,
  type Schema,
  typeIn,
} from '@petstore/types';
import { UsageError } from './errors.ts';
import { codeOf, isObject, quoted, suggestion } from './text.ts';

/** A stream to read from. stdin of a process has a file descriptor. */
export type InputSource = Readable & {
  readonly isTTY?: boolean | undefined;
  readonly fd?: number | undefined;
};

/** The input of any operation: values by the names of parameters and properties. */
export type InputValues = Record<string, unknown>;

/** A word of the command line or the environment, and the name that errors give it. */
export interface Word {
  readonly text: string;
  readonly name: string;
}

/** Parses a word by a schema. Throws a UsageError if the schema does not allow the word. */
export function parseValue({ text, name }: Word, schema: Schema): unknown {
  const type = typeIn(schema) ?? 'string';
  const value = type === 'string' ? text : parseScalar(text, type);
  if (value !== undefined && isAllowed(value, schema)) return value;
  throw new UsageError(`${name} must be ${expected(schema)}, not ${quoted(text)}.`);
}

/** Returns the choice that a word names. Throws a UsageError if it names none. */
export function parseChoice<Choice extends string>(
  { text, name }: Word,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${name} must be ${list(choices)}, not ${quoted(text)}.`);
}

const unitMilliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The milliseconds of a time such as `30`, `1.5s`, `500ms` or `2m`. */
export function parseTime({ text, name }: Word): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * (unitMilliseconds[unit] ?? 0));
  // The longest timer of Node has 31 bits.
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds;
  throw new UsageError(
    `${name} must be a time from 1ms to 35791m, not ${quoted(text)}.`,
    'Use a time such as 30, 1.5s or 2m.',
  );
}

function isAllowed(value: string | number | bigint | boolean, schema: Schema): boolean {
  const { enum: values, format, minimum, maximum } = schema;
  if (values) return values.includes(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return true;
  if (format === 'int64' && typeof value === 'bigint' && !isInt64(value)) return false;
  if (minimum !== undefined && value < minimum) return false;
  return maximum === undefined || value <= maximum;
}

/** The values that a schema allows: `a whole number from 1 to 100`. */
function expected(schema: Schema): string {
  const { enum: values, type, format } = schema;
  if (values) return list(values);
  if (type !== 'integer') return `a ${type}${range(schema)}`;
  return `a ${format === 'int64' ? '64-bit ' : ''}whole number${range(schema)}`;
}

function list(values: readonly unknown[]): string {
  return `one of ${values.join(', ')}`;
}

/** ` from 1 to 100`; empty without bounds. */
export function range({ minimum, maximum }: Schema): string {
  const from = minimum === undefined ? '' : ` from ${minimum}`;
  const to = maximum === undefined ? '' : ` to ${maximum}`;
  return from + to;
}

/** The input in `--data`: JSON, `@FILE`, or `-` for stdin. */
export async function readData(
  data: string,
  operation: Operation,
  stdin: InputSource,
): Promise<InputValues> {
  const value = parseJson(await readWord(data, stdin), '--data');
  return operation.body?.whole ? { body: value } : checkProperties(value, operation, '--data');
}

/** Parses JSON exactly. Throws a UsageError for JSON that would not be sent as it is written. */
export function parseJson(text: string, source: string): unknown {
  try {
    const value = parseExact(text.replace(/^\ufeff/, ''));
    const repeated = repeatedKey(text);
    if (repeated !== undefined) throw new Error(`it has the property '${repeated}' twice`);
    checkNumbers(value);
    return value;
  } catch (error) {
    throw new UsageError(`${source}: ${codeOf(error)}.`);
  }
}

/** Throws for a number that the client would not send, because it may have been rounded. */
function checkNumbers(value: unknown): void {
  if (typeof value === 'number' && Math.abs(value) >= 2 ** 53)
    throw new Error(`the number ${value} has more than 64 bits`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkNumbers);
}

/** Characters of ISO 8859-1 without control characters: a header can contain these. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws for a word that a path or a header cannot contain. */
export function checkPlace({ text, name }: Word, place: Field['in']): void {
  // `.` and `..` would lead to another path.
  if (place === 'path' && ['', '.', '..'].includes(text))
    throw new UsageError(`${name} cannot be ${quoted(text)}.`);
  if (place === 'header' && !headerText.test(text))
    throw new UsageError(`${name} has a character that a header cannot contain.`);
}

/** Throws if a value is not an object with properties of an operation's body. */
export function checkProperties(
  value: unknown,
  { fields }: Operation,
  source: string,
): InputValues {
  if (!isObject(value)) throw new UsageError(`${source} is not a JSON object.`);
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
  const message = `${source}: there is no property ${quoted(unknown)}.`;
  throw new UsageError(message, suggestion(unknown, known));
}

/** The names of the required inputs that are missing. */
export function missingInputs(input: InputValues, { fields }: Operation): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.required && input[name] === undefined);
}

/** `--name is missing`, or `--name and --category-id are missing`. */
export function missingText(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing`;
}

/** Servers accept less. Without this limit, an endless device would fill the memory. */
const MAX_MIB = 64;

/** Returns the word itself, or the text of the file or stdin that the word names. */
export async function readWord(word: string, stdin: InputSource): Promise<string> {
  if (word !== '-' && !word.startsWith('@')) return word;
  try {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of word === '-' ? stdin : createReadStream(word.slice(1))) {
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
