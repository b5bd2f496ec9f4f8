import type { Field } from '@petstore/types';
import type { Argument, CommandAtPath, CommandNode, Flag } from 'petctl/internal';
import { type Operation, resolve } from '../../../openapi/document.ts';
import type { Finding } from '../../check.ts';
import { type ModelOperation, pathNames, type Spec, typeOf } from '../../openapi.ts';
import { integersBeyond, requiredInputs } from '../values.ts';
import type { Petctl } from './run.ts';

/** A command of an operation, and what its checks need: petctl, its command tree, and the spec. */
export interface Subject {
  readonly petctl: Petctl;
  readonly tree: CommandNode;
  readonly spec: Spec;
  readonly modelOperation: ModelOperation;
  readonly operation: Operation;
  readonly command: CommandAtPath;
}

export function finding(path: readonly string[], actual: string, expected: string): Finding {
  const fix = 'npm run generate, or apps/petctl/src/commands';
  return { where: `petctl ${path.join(' ')}`, actual, expected, fix };
}

/** A finding for a property of a command that differs from the spec. */
export function unlessEqual(path: readonly string[], property: string, actual: unknown, expected: unknown): Finding[] {
  const [actualText, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
  return actualText === expectedText ? [] : [finding(path, `${property} is ${actualText}`, `${expectedText}`)];
}

/** An input of an operation. */
export interface Input extends Field {
  readonly name: string;
  /** Whether the input is the whole body. The description of its flag is not in the spec. */
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
  { in: location, name }: Input,
): Argument | Flag | undefined {
  return location === 'path'
    ? node.args?.find((argument) => argument.name === petctl.kebab(name))
    : node.flags?.find(({ field }) => field === name);
}

/** Errors in the flag or argument of an input: in whether it is required, in the words that the parser accepts, and in completion. */
export function* inputErrors(subject: Subject, input: Input, flagOrArgument: Argument | Flag): Generator<Finding> {
  const where = [...subject.command.path, `${input.in} ${input.name}`];
  yield* unlessEqual(where, 'being required', flagOrArgument.required ?? false, input.required);
  yield* parserErrors(subject, input, flagOrArgument.name);
  if (input.in !== 'path') yield* completionErrors(subject, input, flagOrArgument.name);
}

/** Invalid words that the parser accepts for an input. `runErrors` checks that it accepts valid words. */
function* parserErrors(subject: Subject, input: Input, name: string): Generator<Finding> {
  const { petctl, tree, spec, operation, command } = subject;
  const isInPath = input.in === 'path';
  const { path } = requiredInputs(spec, operation);
  for (const word of invalidWords(spec, input)) {
    const values: Readonly<Record<string, unknown>> = { ...path, ...(isInPath && { [input.name]: word }) };
    const args = pathNames(operation.path).map((name) => String(values[name]));
    try {
      petctl.parse(tree, [...command.path, ...(isInPath ? [] : [`--${name}=${word}`]), '--', ...args]);
    } catch {
      continue;
    }
    yield finding([...command.path, name], `the parser accepts '${word}'`, 'it rejects what the spec does not allow');
  }
}

/** Errors in the completion of a flag: its name, its description, and the values of its enum. */
function* completionErrors(subject: Subject, input: Input, name: string): Generator<Finding> {
  const { petctl, tree, command } = subject;
  const offered = (...words: string[]) => new Map(petctl.candidates(tree, [...command.path, ...words]).words);
  const where = [...command.path, name];
  const description = offered('--').get(`--${name}`);
  if (description === undefined)
    return yield finding(where, 'completion does not offer the flag', 'it offers each input');
  if (input.isWhole) return;
  yield* unlessEqual(where, 'the description in the completion', description, input.description);
  for (const value of input.schema.enum ?? [])
    if (value !== null && !offered(`--${name}`, '').has(String(value)))
      yield finding(where, `completion does not offer '${value}'`, 'it offers each value of the enum');
}

/** Invalid words for an input: of another type, and just beyond each bound. */
function invalidWords(spec: Spec, { schema, isWhole }: Input): string[] {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // The elements of a list are separate words.
  const wordSchema = types.join() === 'array' ? schema.items : schema;
  if (isWhole || !wordSchema) return [];
  const resolved = resolve(spec, wordSchema);
  const { enum: values, minLength = 0, maxLength = Infinity } = resolved;
  if (values) return ['no such value'];
  switch (typeOf(resolved)) {
    case 'integer':
      return ['1e1', '0x1', ...integersBeyond(resolved).map(String)];
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
