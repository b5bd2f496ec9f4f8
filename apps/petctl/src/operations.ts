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
import { notice } from './errors.ts';
import { addImport } from './import.ts';
import { checkComplete, type Input, parseValue, range, readData } from './input.ts';
import { cutNotice, pageSize, pages } from './lists.ts';
import { checkOutput, columnsOf, isClosed, printer } from './output.ts';
import { deprecationOf, printRequest, senderFor } from './send.ts';
import { globalOptions, settingsOf } from './settings.ts';
import { kebab } from './text.ts';

/** Adds a command for each operation of the spec. Its name and its flags depend on this operation alone. */
export function addOperations(root: Command): void {
  for (const operation of Object.values<Operation>(operations)) {
    const [group = '', name = ''] = operation.command;
    const parent =
      root.commands.find((command) => command.name() === group) ??
      root.command(group).description(`Commands for ${group}.`);
    addOperation(parent, name, operation);
    if (isImportable(operation))
      addImport(parent, name === 'create' ? 'import' : `import-${name}`, operation);
  }
}

function addOperation(parent: Command, name: string, operation: Operation): void {
  const { fields, pagination, deprecated, stability } = operation;
  const state = deprecated ? 'deprecated' : stability;
  const command = parent
    .command(name)
    .summary(operation.summary + (state ? ` (${state})` : ''))
    .description(
      [joinLines(operation.description), noticeOf(operation)].filter(Boolean).join('\n\n'),
    );
  const paths = [...operation.path.matchAll(/\{([^}]+)\}/g)].flatMap(([, field = '']) => field);
  for (const name of paths) {
    const field = fields[name];
    if (field)
      command.argument(`<${kebab(name)}>`, textOf(field), (text) => parseValue(text, field.schema));
  }
  const own = ownOptions(operation);
  const reserved = [...own, ...globalOptions()].map((option) => option.long);
  const flags = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const option =
      field.in === 'path' || name === pagination?.limit
        ? undefined
        : fieldOption(name, field, reserved);
    if (!option) continue;
    command.addOption(option);
    flags.set(name, option.attributeName());
  }
  for (const option of own) command.addOption(option);

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

/** The options of an operation's command. */
interface CallFlags {
  readonly limit?: number;
  readonly all?: true;
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly curl?: true;
}

/** Calls an operation and prints its result, or with --dry-run and --curl its request. */
async function callOperation(operation: Operation, input: Input, command: Command): Promise<void> {
  const { dryRun, curl, idempotencyKey, limit, all } = command.opts<CallFlags>();
  const { pagination, successes } = operation;
  await checkOutput(operation, command);
  const total = all ? Number.POSITIVE_INFINITY : limit && Number(limit);
  const first = { ...input, ...(pagination && pageSize(operation, pagination, total)) };
  const isPart = pagination && total && total > Number(first[pagination.limit]);
  if (isPart && (dryRun || curl))
    notice('Only the first of the requests is shown.', settingsOf(command));
  if (dryRun || curl) return printRequest(operation, first, command, idempotencyKey);
  const send = await senderFor(operation, command);
  const out = await printer(columnsOf(operation), pagination !== undefined, command);
  if (!pagination) {
    const { data } = await send(first, { idempotencyKey });
    const body = successes.length > 1 ? Object(data).data : data;
    if (body !== undefined) await out.write([body]);
    return out.end();
  }
  let [rows, cut] = [0, ''];
  for await (const { items, next } of pages(send, operation, pagination, first, total)) {
    await out.write(items);
    if (isClosed()) return;
    rows += items.length;
    if (next !== undefined) cut = cutNotice(rows, pagination, next);
  }
  await out.end();
  if (cut) notice(cut, settingsOf(command));
}

/** The options that are not fields of the spec. */
function ownOptions({ body, pagination, idempotencyKey }: Operation): Option[] {
  const parseLimit = (text: string) => parseValue(text, { type: 'integer', minimum: 1 });
  return [
    ...(body
      ? [
          new Option(
            '-d, --data <json>',
            'The body as JSON, @FILE, or - for stdin. Flags override it.',
          ),
        ]
      : []),
    ...(pagination
      ? [
          new Option(
            '--limit <number>',
            'How many results, over all pages. Default: one page.',
          ).argParser(parseLimit),
          new Option('--all', 'All results.').conflicts('limit'),
        ]
      : []),
    ...(idempotencyKey
      ? [new Option('--idempotency-key <key>', joinLines(idempotencyKey.description))]
      : []),
    new Option('--dry-run', 'Show the request as JSON, and do not send it.'),
    new Option('--curl', 'Show the request as a curl command, and do not send it.'),
  ];
}

/** The flag of a field; undefined if only JSON can express its values. */
function fieldOption(name: string, field: Field, reserved: readonly unknown[]): Option | undefined {
  const schema = resolved(field.schema);
  const type = typeIn(schema) ?? (field.in === 'body' ? 'object' : 'string');
  const item = type === 'array' ? resolved(schema.items ?? {}) : schema;
  const itemType = type === 'array' ? typeIn(item) : type;
  if (itemType === undefined || itemType === 'object' || itemType === 'array') return undefined;
  const flag = reserved.includes(`--${kebab(name)}`) ? `${field.in}-${kebab(name)}` : kebab(name);
  const option = new Option(
    `--${flag} <${itemType}>`,
    textOf(field) + (type === 'array' ? ' Repeatable.' : ''),
  );
  const choices = itemType === 'boolean' ? [true, false] : item.enum;
  if (choices) option.choices(choices.map(String));
  return option.argParser((word: string, previous: unknown) => {
    const value = parseValue(word, item);
    return type === 'array' ? [...(Array.isArray(previous) ? previous : []), value] : value;
  });
}

/** The lines of each paragraph as one, because help is wrapped anew. */
function joinLines(text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}

function textOf({ description, schema, required, in: location }: Field): string {
  const bounds = range(resolved(schema));
  return [
    joinLines(description),
    bounds && `Value:${bounds}.`,
    required && location !== 'path' && 'Required.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether an operation can be called for each record of a file: all its inputs are scalar members of the body. */
function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const isScalar = (schema: Schema) =>
    typesOf(schema).every((type) => type !== 'object' && type !== 'array');
  return (
    method === 'POST' &&
    all.length > 0 &&
    all.every((field) => field.in === 'body' && isScalar(field.schema))
  );
}

function noticeOf(operation: Operation): string {
  if (operation.deprecated) return deprecationOf(operation, operation.sunset);
  return operation.stability ? `This command is ${operation.stability}: it may change.` : '';
}
