import type { Field, Operation } from '@petstore/types';
import type { Argument, CommandAtPath, CommandNode, Flag } from 'petctl/internal';
import { type Operation as Described, resolve } from '../../../openapi/document.ts';
import type { Finding } from '../../check.ts';
import { pathNames, type Spec, typeOf } from '../../openapi.ts';
import { integersBeyond, requiredInputs } from '../values.ts';
import type { Petctl } from './run.ts';

/** A command of an operation, and what its checks need: petctl, its command tree, and the spec. */
export interface Subject {
  readonly petctl: Petctl;
  readonly tree: CommandNode;
  readonly spec: Spec;
  readonly modelOperation: Operation;
  readonly operation: Described;
  readonly command: CommandAtPath;
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

/** The inputs of an operation. */
export function inputsOf({ spec, modelOperation: { fields, body } }: Subject): Input[] {
  return Object.entries(fields).map(([name, field]) => {
    const schema = resolve(spec, field.schema);
    return { ...field, schema, name, isWhole: field.in === 'body' && body?.whole === true };
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

/** Errors in the flag or argument of an input: whether it is required, the words that the parser accepts, and completion. */
export function* inputErrors(subject: Subject, input: Input, flagOrArgument: Argument | Flag): Generator<Finding> {
  const where = [...subject.command.path, `${input.in} ${input.name}`];
  yield* unlessEqual(where, 'being required', flagOrArgument.required ?? false, input.required);
  yield* parserErrors(subject, input, flagOrArgument.name);
  if (input.in !== 'path') yield* completionErrors(subject, input, flagOrArgument.name);
}

/** Words that the parser accepts for an input although the spec does not allow them. Valid values are sent by `runErrors`. */
function* parserErrors(subject: Subject, input: Input, name: string): Generator<Finding> {
  const { petctl, tree, spec, operation, command } = subject;
  const isInPath = input.in === 'path';
  const { path } = requiredInputs(spec, operation);
  for (const word of invalidWords(spec, input)) {
    const values: Readonly<Record<string, unknown>> = { ...path, ...(isInPath && { [input.name]: word }) };
    const args = pathNames(operation.path).map((one) => String(values[one]));
    try {
      petctl.parse(tree, [...command.path, ...(isInPath ? [] : [`--${name}=${word}`]), '--', ...args]);
    } catch {
      continue;
    }
    yield finding([...command.path, name], `the parser accepts '${word}'`, 'the spec does not allow the value');
  }
}

/** Errors in the completion of a flag: its name, its description, and the values of its enum. */
function* completionErrors(subject: Subject, input: Input, name: string): Generator<Finding> {
  const { petctl, tree, command } = subject;
  const offered = (...words: string[]) => new Map(petctl.candidates(tree, [...command.path, ...words]).words);
  const where = [...command.path, name];
  const description = offered('--').get(`--${name}`);
  if (description === undefined)
    return yield finding(where, 'completion does not offer the flag', 'the flag is an input of the operation');
  if (input.isWhole) return;
  yield* unlessEqual(where, 'the description in the completion', description, input.description);
  for (const value of input.schema.enum ?? [])
    if (value !== null && !offered(`--${name}`, '').has(String(value)))
      yield finding(where, `completion does not offer '${value}'`, 'the value is in the enum');
}

/** Words that the spec does not allow for an input: of another type, and just beyond each bound. */
function invalidWords(spec: Spec, { schema, isWhole }: Input): string[] {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // The elements of a list are separate words.
  const ofWord = types.join() === 'array' ? schema.items : schema;
  if (isWhole || !ofWord) return [];
  const described = resolve(spec, ofWord);
  const { enum: values, minLength = 0, maxLength = Infinity } = described;
  if (values) return ['no such value'];
  switch (typeOf(described)) {
    case 'integer':
      return ['1e1', '0x1', ...integersBeyond(described).map(String)];
    case 'number':
      return ['no number'];
    case 'object':
      return ['{'];
    case 'string':
      return [minLength - 1, maxLength + 1]
        .filter((length) => length >= 0 && length < 10_000)
        .map((length) => 'x'.repeat(length));
    default:
      return [];
  }
}
