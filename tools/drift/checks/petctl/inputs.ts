import type { Field, Operation } from '@petstore/types';
import type { Argument, CommandNode, Flag, Located } from 'petctl/internal';
import { type Operation as Described, resolve } from '../../../openapi/document.ts';
import { exampleValue, NoExampleError } from '../../../openapi/examples.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import type { Finding } from '../../check.ts';
import { pathNames, type Spec, typeOf } from '../../openapi.ts';
import type { Petctl } from './run.ts';

/** A command of an operation, and what its checks need: petctl, its command tree, and the spec. */
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
  /** Whether the input is the whole body. The flag of a whole body has a description that is not in the spec. */
  readonly isWhole: boolean;
}

/** The inputs of an operation: the path parameters in the order of the path, then the other inputs. */
export function inputsOf({ spec, modelOperation: { path, fields, body } }: Subject): Input[] {
  const names = [...pathNames(path), ...Object.keys(fields).filter((name) => fields[name]?.in !== 'path')];
  return names.flatMap((name) => {
    const field = fields[name];
    if (!field) return [];
    const schema = resolve(spec, field.schema as object);
    return [{ ...field, schema, name, isWhole: field.in === 'body' && body?.whole === true }];
  });
}

/** The flag or the argument of an input; undefined if the command has neither. */
export function flagOrArgumentOf(
  { petctl, command: { node } }: Subject,
  { in: place, name }: Input,
): Argument | Flag | undefined {
  return place === 'path'
    ? node.args?.find((argument) => argument.name === petctl.kebab(name))
    : node.flags?.find(({ field }) => field === name);
}

/** Errors in the flag or argument of an input: whether it is required, the values that the parser accepts, and completion. */
export function inputErrors(subject: Subject, input: Input, flagOrArgument: Argument | Flag): Finding[] {
  const where = [...subject.command.path, `${input.in} ${input.name}`];
  return [
    ...unlessEqual(where, 'being required', flagOrArgument.required ?? false, input.required),
    ...parserErrors(subject, input, flagOrArgument),
    ...('field' in flagOrArgument ? completionErrors(subject, input, flagOrArgument) : []),
  ];
}

/** Errors in the parser: values of an input that the parser accepts although the spec rejects them, or the other way round. */
function parserErrors(subject: Subject, input: Input, flagOrArgument: Argument | Flag): Finding[] {
  const { petctl, tree, spec, command } = subject;
  const inPath = inputsOf(subject).filter((other) => other.in === 'path');
  const validWord = (other: Input) => samplesOf(spec, other).find(([, isAllowed]) => isAllowed)?.[0] ?? '1';
  return samplesOf(spec, input).flatMap(([text, isAllowed]) => {
    const flags = 'field' in flagOrArgument ? [`--${flagOrArgument.name}=${text}`] : [];
    const values = inPath.map((other) => (other.name === input.name && input.in === 'path' ? text : validWord(other)));
    let isAccepted = true;
    try {
      petctl.parse(tree, [...command.path, ...flags, '--', ...values]);
    } catch {
      isAccepted = false;
    }
    if (isAccepted === isAllowed) return [];
    const actual = `the parser ${isAccepted ? 'accepts' : 'rejects'} '${text}'`;
    return [
      finding(
        [...command.path, flagOrArgument.name],
        actual,
        isAllowed ? 'the spec allows the value' : 'the spec does not allow the value',
      ),
    ];
  });
}

/** Errors in the completion of a flag: its name, its description, and the values of its enum. */
function completionErrors({ petctl, tree, command: { path } }: Subject, input: Input, { name }: Flag): Finding[] {
  const offered = (...words: string[]) => new Map(petctl.candidates(tree, [...path, ...words]).words);
  const where = [...path, name];
  const description = offered('--').get(`--${name}`);
  if (description === undefined)
    return [finding(where, 'completion does not offer the flag', 'the flag is an input of the operation')];
  if (input.isWhole) return [];
  const values = (input.schema.enum ?? []).filter((value) => value !== null).map(String);
  return [
    ...unlessEqual(where, 'the description in the completion', description, input.description),
    ...values
      .filter((value) => !offered(`--${name}`, '').has(value))
      .map((value) => finding(where, `completion does not offer '${value}'`, 'the value is in the enum')),
  ];
}

/** A word to try a parser with, and whether the spec allows it. */
type Sample = readonly [text: string, isAllowed: boolean];

/** Samples for an input: an example, and the values at and beyond each of its bounds. */
function samplesOf(spec: Spec, { schema, isWhole }: Input): Sample[] {
  if (isWhole) return [];
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // The elements of a list are separate words, so the samples are elements.
  const wordSchema = types.join() === 'array' ? schema.items : schema;
  return wordSchema ? samplesFor(spec, resolve(spec, wordSchema as object)) : [];
}

/** Words that are not a value of a type. */
const invalidWords: Readonly<Record<string, readonly string[]>> = {
  integer: ['1e1', '0x1'],
  number: ['no number'],
  object: ['{'],
};

function samplesFor(spec: Spec, schema: Field['schema']): Sample[] {
  const { enum: values, minimum, maximum, minLength, maxLength, format } = schema;
  if (values) {
    const words = values.filter((value) => value !== null).map((value): Sample => [String(value), true]);
    return [...words, ['no such value', false]];
  }
  const type = typeOf(schema) ?? '';
  const example = exampleOf(spec, schema);
  const words: Sample[] = (invalidWords[type] ?? []).map((word) => [word, false]);
  if (example !== undefined) words.unshift([typeof example === 'string' ? example : JSON.stringify(example), true]);
  if (type === 'integer') {
    // Bounds are bigints, because a number cannot represent both a very large bound and the integer next to it.
    const [least, most] = [minimum, maximum].map((bound) => (Number.isInteger(bound) ? BigInt(bound ?? 0) : undefined));
    const isWide = format === 'int64';
    words.push(
      ...samplesAtBound(least ?? (isWide ? -(2n ** 63n) : undefined), -1n),
      ...samplesAtBound(most ?? (isWide ? 2n ** 63n - 1n : undefined), 1n),
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

/** The samples at a bound, and one step beyond the bound. */
function samplesAtBound(bound: bigint | undefined, step: bigint): Sample[] {
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
