import {
  type Field,
  type Operation,
  operations,
  resolved,
  type Schema,
  typeIn,
  typesOf,
} from '@petstore/types';
import { type Command, Option } from 'commander';
import { deprecationOf } from './call.ts';
import { type CallFlags, callOperation } from './call-operation.ts';
import { addImport } from './import/import-command.ts';
import { checkFlags, checkPlace, type Input, parseValue, range, readData } from './input.ts';
import type { Session } from './session.ts';
import { globalOptions, settingsOf } from './settings.ts';
import { kebab } from './text.ts';

/**
 * Adds a command for each operation of the spec. Its name and its flags depend on this operation
 * alone.
 */
export function addOperations(root: Command, session: Session): void {
  for (const operation of Object.values<Operation>(operations)) {
    const [group = '', name = ''] = operation.command;
    const parent =
      root.commands.find((command) => command.name() === group) ??
      root.command(group).description(`Commands for ${group}.`);
    addOperation(parent, name, operation, session);
    if (isImportable(operation)) {
      const importName = name === 'create' ? 'import' : `import-${name}`;
      addImport(parent, importName, operation, session);
    }
  }
}

type NamedField = readonly [name: string, field: Field];

/** A flag of a command that sets a field of its operation. */
interface FieldFlag {
  readonly name: string;
  readonly option: Option;
  readonly parse: (words: string | string[]) => unknown;
}

function addOperation(parent: Command, name: string, operation: Operation, session: Session): void {
  const command = parent
    .command(name)
    .summary(summaryOf(operation))
    .description(descriptionOf(operation));
  const pathFields = pathFieldsOf(operation);
  for (const [field, { description, schema }] of pathFields) {
    const bounds = boundsOf(schema);
    command.argument(`<${kebab(field)}>`, [joinLines(description), ...bounds].join(' '));
  }
  const callOptions = callOptionsOf(operation);
  const flags = fieldFlags(operation, callOptions);
  for (const { option } of flags) command.addOption(option);
  for (const option of callOptions) command.addOption(option);

  command.action(async () => {
    const options = command.opts<CallFlags>();
    const settings = settingsOf(command, session.env);
    const { data } = options;
    const input = data === undefined ? {} : await readData(data, operation, session.context.stdin);
    Object.assign(input, pathInput(pathFields, command), flagInput(flags, command));
    checkFlags(input, operation);
    await callOperation({ operation, input, flags: options, settings }, session);
  });
}

/** The fields that the arguments of a command line set. */
function pathInput(fields: readonly NamedField[], { args }: Command): Input {
  const input: Input = {};
  for (const [i, [field, { schema }]] of fields.entries()) {
    const word = { text: args[i] ?? '', name: `<${kebab(field)}>` };
    checkPlace(word, 'path');
    input[field] = parseValue(word, schema);
  }
  return input;
}

/** The fields that the flags of a command line set. */
function flagInput(flags: readonly FieldFlag[], command: Command): Input {
  const input: Input = {};
  for (const { name, option, parse } of flags) {
    const words: string | string[] | undefined = command.getOptionValue(option.attributeName());
    if (words !== undefined) input[name] = parse(words);
  }
  return input;
}

function summaryOf({ summary, deprecated, stability }: Operation): string {
  const state = deprecated ? 'deprecated' : stability;
  return state === undefined ? summary : `${summary} (${state})`;
}

/**
 * The first paragraph of the spec's description. What follows it is for those who write HTTP
 * requests.
 */
function descriptionOf(operation: Operation): string {
  const [first = ''] = operation.description.split('\n\n');
  const paragraphs = [joinLines(first)];
  if (operation.deprecated) paragraphs.push(deprecationOf(operation, operation.sunset));
  else if (operation.stability)
    paragraphs.push(`This command is ${operation.stability}: it may change.`);
  return paragraphs.join('\n\n');
}

/** The parameters in the path, in their order. */
function pathFieldsOf({ path, fields }: Operation): NamedField[] {
  const inPath = Object.entries(fields).filter(([, field]) => field.in === 'path');
  const position = ([name]: NamedField) => path.indexOf(`{${name}}`);
  return inPath.sort((a, b) => position(a) - position(b));
}

/** The options that are not fields of the spec. */
function callOptionsOf({ body, pagination, idempotencyKey }: Operation): Option[] {
  const options: Option[] = [];
  if (body) {
    const description = 'The body as JSON, @FILE, or - for stdin. Flags override it.';
    options.push(new Option('-d, --data <json>', description));
  }
  if (pagination)
    options.push(
      new Option('--limit <number>', 'How many results, over all pages. Default: one page.'),
      new Option('--all', 'All results.').conflicts('limit'),
    );
  if (idempotencyKey)
    options.push(
      new Option(
        '--idempotency-key <key>',
        'A key of your own, so that repeating the command within 24 hours has no further effect.',
      ),
    );
  return [
    ...options,
    new Option('--dry-run', 'Show the request as JSON, and do not send it.'),
    new Option('--curl', 'Show the request as a curl command, and do not send it.'),
  ];
}

/** The flags of all fields but those in the path. */
function fieldFlags({ fields, pagination }: Operation, others: readonly Option[]): FieldFlag[] {
  const reserved = [...others, ...globalOptions()].map(({ long }) => long);
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.in === 'path' || name === pagination?.limit) return [];
    // A field that has the name of another option has its place in the name.
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
  // A parameter without a type is a string; a property without one may be anything.
  const type = typeIn(valueSchema) ?? (field.in === 'body' ? undefined : 'string');
  if (type === undefined || type === 'object' || type === 'array') return undefined;
  const placeholder = valueSchema.enum ? kebab(name) : type;
  const option = new Option(`${flag} <${placeholder}>`, optionText(field, isList));
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

function choicesOf(schema: Schema, type: string): string[] | undefined {
  return type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
}

function optionText({ description, schema, required }: Field, isList: boolean): string {
  const sentences = [joinLines(description), ...boundsOf(schema)];
  if (required) sentences.push('Required.');
  if (isList) sentences.push('Repeatable.');
  return sentences.join(' ');
}

function boundsOf(schema: Schema): string[] {
  const bounds = range(resolved(schema));
  return bounds === '' ? [] : [`Value:${bounds}.`];
}

/** The lines of each paragraph as one, because help is wrapped anew. */
function joinLines(text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}

/**
 * Whether an operation can be called for each record of a file: all its inputs are scalar
 * properties of the body.
 */
function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const isScalarProperty = (field: Field) =>
    field.in === 'body' &&
    typesOf(field.schema).every((type) => type !== 'object' && type !== 'array');
  return method === 'POST' && all.length > 0 && all.every(isScalarProperty);
}
