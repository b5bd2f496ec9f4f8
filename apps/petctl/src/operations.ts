import { type Field, type Operation, operations, resolved, type Schema, typeIn, typesOf } from '@petstore/types';
import { type Command, Option } from 'commander';
import { deprecationOf } from './call.ts';
import { addImport } from './import.ts';
import { checkComplete, type Input, parseValue, range, readData } from './input.ts';
import { callOperation } from './results.ts';
import { globalOptions } from './settings.ts';
import { kebab } from './text.ts';

/** Adds a command for each operation of the spec. Its name and its flags depend on this operation alone. */
export function addOperations(root: Command): void {
  for (const operation of Object.values<Operation>(operations)) {
    const [group = '', name = ''] = operation.command;
    const parent =
      root.commands.find((command) => command.name() === group) ??
      root.command(group).description(`Commands for ${group}.`);
    addOperation(parent, name, operation);
    if (isImportable(operation)) addImport(parent, name === 'create' ? 'import' : `import-${name}`, operation);
  }
}

function addOperation(parent: Command, name: string, operation: Operation): void {
  const { fields, body, pagination, idempotencyKey } = operation;
  const command = parent
    .command(name)
    .summary(operation.summary + stateOf(operation))
    .description([operation.description.trim(), noticeOf(operation)].filter(Boolean).join('\n\n'));
  const paths = [...operation.path.matchAll(/\{([^}]+)\}/g)].flatMap(([, field = '']) => field);
  for (const field of paths) {
    const { description = '', schema = {} } = fields[field] ?? {};
    command.argument(`<${kebab(field)}>`, description, (text) => parseValue(text, schema));
  }
  if (body) command.option('-d, --data <json>', 'The body as JSON, @FILE, or - for stdin. Flags override its members.');
  if (pagination) {
    const parseLimit = (text: string) => parseValue(text, { type: 'integer', minimum: 1 });
    command.option('--limit <number>', 'How many results, over all pages. Default: one page.', parseLimit);
    command.addOption(new Option('--all', 'All results.').conflicts('limit'));
  }
  if (idempotencyKey) command.option('--idempotency-key <key>', idempotencyKey.description);
  command.option('--dry-run', 'Show the request as JSON, and do not send it.');
  command.option('--curl', 'Show the request as a curl command, and do not send it.');

  const flags = new Map<string, string>();
  const reserved = [...command.options, ...globalOptions()].map((option) => option.long);
  for (const [field, definition] of Object.entries(fields)) {
    if (definition.in === 'path' || field === pagination?.limit) continue;
    for (const option of fieldOptions(field, definition, reserved)) {
      command.addOption(option);
      flags.set(field, option.attributeName());
    }
  }

  command.action(async (...args: unknown[]) => {
    const data: unknown = command.getOptionValue('data');
    const input: Input = typeof data === 'string' ? await readData(data, operation) : {};
    for (const [i, field] of paths.entries()) input[field] = args[i];
    for (const [field, attribute] of flags) {
      const value: unknown = command.getOptionValue(attribute);
      if (value !== undefined) input[field] = value;
    }
    await callOperation(operation, checkComplete(input, operation), command);
  });
}

/** The flags of a field: none if only JSON can express its values. */
function fieldOptions(field: string, { in: location, description, schema, required }: Field, reserved: unknown[]) {
  const type = typeIn(schema) ?? (location === 'body' ? 'object' : 'string');
  const item = type === 'array' ? resolved(resolved(schema).items ?? {}) : resolved(schema);
  const itemType = type === 'array' ? typeIn(item) : type;
  if (itemType === undefined || itemType === 'object' || itemType === 'array') return [];
  const plain = kebab(field);
  const name = reserved.includes(`--${plain}`) ? `${location}-${plain}` : plain;
  const bounds = range(item);
  const text = [description, bounds && `Value:${bounds}.`, required && 'Required.', type === 'array' && 'Repeatable.'];
  const option = new Option(`--${name} <${itemType}>`, text.filter(Boolean).join(' '));
  if (itemType === 'boolean') {
    const on = new Option(`--${name}`, option.description);
    return [on, new Option(`--no-${name}`, `The opposite of --${name}.`)];
  }
  if (item.enum) option.choices(item.enum.map(String));
  return [
    option.argParser((word: string, previous: unknown) =>
      type === 'array'
        ? [...(Array.isArray(previous) ? previous : []), parseValue(word, item)]
        : parseValue(word, item),
    ),
  ];
}

/** Whether an operation can be called for each record of a file: all its inputs are scalar members of the body. */
function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const isScalar = (schema: Schema) => typesOf(schema).every((type) => type !== 'object' && type !== 'array');
  return method === 'POST' && all.length > 0 && all.every((field) => field.in === 'body' && isScalar(field.schema));
}

function stateOf({ deprecated, stability }: Operation): string {
  const states = [deprecated && 'deprecated', stability].filter(Boolean);
  return states.length > 0 ? ` (${states.join(', ')})` : '';
}

function noticeOf(operation: Operation): string {
  if (operation.deprecated) return deprecationOf(operation, operation.sunset);
  return operation.stability ? `This command is ${operation.stability}: it may change.` : '';
}
