import type { Field, Operation } from '@petstore/types';
import type { Argument, CommandNode, Flag, Located } from 'petctl/internal';
import { type Operation as Described, resolve } from '../../../openapi/document.ts';
import { exampleValue, NoExampleError } from '../../../openapi/examples.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import type { Finding } from '../../check.ts';
import { pathNames, type Spec, typeOf } from '../../openapi.ts';
import type { Petctl } from './run.ts';

/** A command of an operation, and the petctl that has it. */
export interface Subject {
  readonly petctl: Petctl;
  readonly tree: CommandNode;
  readonly spec: Spec;
  readonly modelOperation: Operation;
  readonly operation: Described;
  readonly command: Located;
}

export const finding = (path: readonly string[], actual: string, expected: string): Finding => ({
  where: `petctl ${path.join(' ')}`,
  actual,
  expected,
  fix: 'npm run generate, or apps/petctl/src/commands',
});

export function unlessEqual(where: readonly string[], property: string, actual: unknown, expected: unknown): Finding[] {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === should ? [] : [finding(where, `${property} is ${is}`, `${should}`)];
}

/** An input of an operation. */
export interface Input extends Field {
  readonly name: string;
  /** Whether it is the whole body, whose flag has its own description and rules. */
  readonly isWhole: boolean;
}

/** Every input: those of the path first, in its order. */
export function inputsOf({ spec, modelOperation: { path, fields, body } }: Subject): Input[] {
  const names = [...pathNames(path), ...Object.keys(fields).filter((name) => fields[name]?.in !== 'path')];
  return names.flatMap((name) => {
    const field = fields[name];
    if (!field) return [];
    const schema = resolve(spec, field.schema as object);
    return [{ ...field, schema, name, isWhole: field.in === 'body' && body?.whole === true }];
  });
}

/** How the command takes an input: a flag, or an argument. */
export function takenAs(
  { petctl, command: { node } }: Subject,
  { in: place, name }: Input,
): Argument | Flag | undefined {
  return place === 'path'
    ? node.args?.find((argument) => argument.name === petctl.kebab(name))
    : node.flags?.find(({ field }) => field === name);
}

/** Errors in how a command takes an input: being required, values that the parser accepts, and completion. */
export function inputErrors(subject: Subject, input: Input, taken: Argument | Flag): Finding[] {
  const where = [...subject.command.path, `${input.in} ${input.name}`];
  return [
    ...unlessEqual(where, 'being required', taken.required ?? false, input.required),
    ...parserErrors(subject, input, taken),
    ...('field' in taken ? completionErrors(subject, input, taken) : []),
  ];
}

/** Values at the bounds of an input that the parser accepts or rejects against the spec. */
function parserErrors(subject: Subject, input: Input, taken: Argument | Flag): Finding[] {
  const { petctl, tree, spec, command } = subject;
  const inPath = inputsOf(subject).filter((one) => one.in === 'path');
  const validWord = (one: Input) => samplesOf(spec, one).find(([, isAllowed]) => isAllowed)?.[0] ?? '1';
  return samplesOf(spec, input).flatMap(([text, isAllowed]) => {
    const flags = 'field' in taken ? [`--${taken.name}=${text}`] : [];
    const values = inPath.map((one) => (one.name === input.name && input.in === 'path' ? text : validWord(one)));
    let isAccepted = true;
    try {
      petctl.parse(tree, [...command.path, ...flags, '--', ...values]);
    } catch {
      isAccepted = false;
    }
    if (isAccepted === isAllowed) return [];
    const actual = `the parser ${isAccepted ? 'accepts' : 'rejects'} '${text}'`;
    return [finding([...command.path, taken.name], actual, isAllowed ? 'it is allowed' : 'it is not allowed')];
  });
}

/** The parts of a flag that completion lacks. */
function completionErrors({ petctl, tree, command: { path } }: Subject, input: Input, { name }: Flag): Finding[] {
  const offered = (...words: string[]) => new Map(petctl.candidates(tree, [...path, ...words]).words);
  const where = [...path, name];
  const about = offered('--').get(`--${name}`);
  if (about === undefined) return [finding(where, 'completion does not offer it', 'it is an input')];
  if (input.isWhole) return [];
  const values = (input.schema.enum ?? []).filter((value) => value !== null).map(String);
  return [
    ...unlessEqual(where, 'the completion', about, input.description),
    ...values
      .filter((value) => !offered(`--${name}`, '').has(value))
      .map((value) => finding(where, `completion does not offer '${value}'`, 'it is in the enum')),
  ];
}

/** A word to try a parser with, and whether the spec allows it. */
type Sample = readonly [text: string, isAllowed: boolean];

/** Words for an input: an example, and those at and beyond each of its bounds. */
function samplesOf(spec: Spec, { schema, isWhole }: Input): Sample[] {
  if (isWhole) return [];
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // Each element of a list is a word of its own.
  const one = types.join() === 'array' ? schema.items : schema;
  return one ? wordsFor(spec, resolve(spec, one as object)) : [];
}

/** Words that are no value of a type. */
const wrongWords: Readonly<Record<string, readonly string[]>> = {
  integer: ['1e1', '0x1'],
  number: ['no number'],
  object: ['{'],
};

function wordsFor(spec: Spec, schema: Field['schema']): Sample[] {
  const { enum: values, minimum, maximum, minLength, maxLength, format } = schema;
  if (values) {
    const words = values.filter((value) => value !== null).map((value): Sample => [String(value), true]);
    return [...words, ['no such value', false]];
  }
  const type = typeOf(schema) ?? '';
  const example = exampleOf(spec, schema);
  const words: Sample[] = (wrongWords[type] ?? []).map((word) => [word, false]);
  if (example !== undefined) words.unshift([typeof example === 'string' ? example : JSON.stringify(example), true]);
  if (type === 'integer') {
    // As bigint, because numbers do not tell the integers beside the largest bounds apart.
    const [least, most] = [minimum, maximum].map((bound) => (Number.isInteger(bound) ? BigInt(bound ?? 0) : undefined));
    const isWide = format === 'int64';
    words.push(
      ...atBound(least ?? (isWide ? -(2n ** 63n) : undefined), -1n),
      ...atBound(most ?? (isWide ? 2n ** 63n - 1n : undefined), 1n),
    );
  }
  if (type === 'string') {
    const fits = valueCheck(spec);
    const lengths = [minLength, minLength && minLength - 1, maxLength, maxLength && maxLength + 1];
    const texts = lengths.filter((length) => length !== undefined && length < 10_000).map((n) => 'x'.repeat(n ?? 0));
    words.push(...texts.map((text): Sample => [text, fits(schema as object, text)]));
  }
  return words;
}

/** The words at a bound, and beyond it. */
function atBound(bound: bigint | undefined, step: bigint): Sample[] {
  return bound === undefined
    ? []
    : [
        [String(bound), true],
        [String(bound + step), false],
      ];
}

function exampleOf(spec: Spec, schema: Field['schema']): unknown {
  try {
    return exampleValue(spec, schema as object, true);
  } catch (error) {
    if (error instanceof NoExampleError) return undefined;
    throw error;
  }
}
