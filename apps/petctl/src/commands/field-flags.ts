// The arguments and flags of a command that set the fields of its operation.
import { type Field, type Operation, resolved, type Schema, typeIn } from '@petstore/types';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import {
  checkPlace,
  type InputValues,
  missingInputs,
  missingText,
  parseValue,
  range,
} from '../input.ts';
import { commonOptions } from '../settings.ts';
import { kebab } from '../text.ts';

/** A parameter in the path, which an argument sets. */
interface PathField {
  readonly name: string;
  readonly field: Field;
}

/** A flag that sets a field. */
interface FieldFlag {
  readonly name: string;
  readonly option: Option;
  readonly parse: (words: string | string[]) => unknown;
}

/** The parameters in the path, in their order. */
export function pathFieldsOf({ path, fields }: Operation): PathField[] {
  const all = Object.entries(fields).map(([name, field]) => ({ name, field }));
  const position = ({ name }: PathField) => path.indexOf(`{${name}}`);
  return all.filter(({ field }) => field.in === 'path').sort((a, b) => position(a) - position(b));
}

/** The fields that the arguments of a command line set. */
export function pathInput(fields: readonly PathField[], { args }: Command): InputValues {
  const input: InputValues = {};
  for (const [i, { name, field }] of fields.entries()) {
    const word = { text: args[i] ?? '', name: `<${kebab(name)}>` };
    checkPlace(word, 'path');
    input[name] = parseValue(word, field.schema);
  }
  return input;
}

/** The flags of all fields that are not in the path. `others` are the other options of the command. */
export function fieldFlags(
  { fields, pagination }: Operation,
  others: readonly Option[],
): FieldFlag[] {
  const reserved = [...others, ...commonOptions()].map(({ long }) => long);
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.in === 'path' || name === pagination?.limit) return [];
    // If another option has the same name, the name of the flag begins with the place of the field.
    const isReserved = reserved.includes(`--${kebab(name)}`);
    const flag = `--${isReserved ? `${field.in}-` : ''}${kebab(name)}`;
    return fieldFlag(name, flag, field) ?? [];
  });
}

/**
 * The flag of a field; undefined if only JSON can express its values. The flag of a list is
 * repeated for each element.
 */
function fieldFlag(name: string, flag: string, field: Field): FieldFlag | undefined {
  const schema = resolved(field.schema);
  const isList = typeIn(schema) === 'array';
  const valueSchema = isList ? resolved(schema.items ?? {}) : schema;
  // A parameter without a type is a string. A property without a type may be anything.
  const type = typeIn(valueSchema) ?? (field.in === 'body' ? undefined : 'string');
  if (type === undefined || type === 'object' || type === 'array') return undefined;
  const placeholder = valueSchema.enum ? kebab(name) : type;
  const option = new Option(`${flag} <${placeholder}>`, flagHelp(field, isList));
  const choices = choicesOf(valueSchema, type);
  if (choices) option.argChoices = choices;
  if (isList) option.argParser((word: string, before: string[] = []) => [...before, word]);
  const parseWord = (text: string) => {
    const word = { text, name: flag };
    checkPlace(word, field.in);
    return parseValue(word, valueSchema);
  };
  return {
    name,
    option,
    parse: (words) => (Array.isArray(words) ? words.map(parseWord) : parseWord(words)),
  };
}

/** The fields that the flags of a command line set. */
export function flagInput(flags: readonly FieldFlag[], command: Command): InputValues {
  const input: InputValues = {};
  for (const { name, option, parse } of flags) {
    const words: string | string[] | undefined = command.getOptionValue(option.attributeName());
    if (words !== undefined) input[name] = parse(words);
  }
  return input;
}

/** Throws if a required input of a command is missing. */
export function checkRequired(input: InputValues, operation: Operation): void {
  const missing = missingInputs(input, operation);
  if (missing.length === 0) return;
  const isWhole = operation.body?.whole === true;
  const flags = missing.map((name) => (name === 'body' && isWhole ? '--data' : `--${kebab(name)}`));
  throw new UsageError(
    `${missingText(flags)}.`,
    operation.body && 'Use flags, or properties of --data.',
  );
}

function choicesOf(schema: Schema, type: string): string[] | undefined {
  return type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
}

/** The description of a field in help. */
export function fieldHelp({ description, schema }: Field): string {
  const bounds = range(resolved(schema));
  const text = joinLines(description);
  return bounds === '' ? text : `${text} Value:${bounds}.`;
}

function flagHelp(field: Field, isList: boolean): string {
  const sentences = [fieldHelp(field)];
  if (field.required) sentences.push('Required.');
  if (isList) sentences.push('Repeatable.');
  return sentences.join(' ');
}

/** Joins the lines of each paragraph, because help is wrapped to the width of the terminal. */
export function joinLines(text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}
