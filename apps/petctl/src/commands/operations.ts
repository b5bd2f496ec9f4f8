import { type Field, type Operation, operations, typesOf } from '@petstore/types';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { parseValue, readData } from '../input.ts';
import { printerFor, shapeOf } from '../output/printer.ts';
import { deprecationOf } from '../service/client.ts';
import type { Session } from '../session.ts';
import { kebab } from '../text.ts';
import { callOperation, type RequestedCall } from './call-operation.ts';
import {
  checkRequired,
  fieldFlags,
  fieldHelp,
  flagInput,
  joinLines,
  pathFieldsOf,
  pathInput,
} from './field-flags.ts';
import { addImport } from './import.ts';
import { printAsCurl, printAsJson } from './preview.ts';

/**
 * Adds a command for each operation of the spec. The name and the flags of a command depend on its
 * operation alone.
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

function addOperation(parent: Command, name: string, operation: Operation, session: Session): void {
  const command = parent
    .command(name)
    .summary(summaryOf(operation))
    .description(descriptionOf(operation));
  const pathFields = pathFieldsOf(operation);
  for (const { name, field } of pathFields) command.argument(`<${kebab(name)}>`, fieldHelp(field));
  const otherOptions = otherOptionsOf(operation);
  const flags = fieldFlags(operation, otherOptions);
  for (const { option } of flags) command.addOption(option);
  for (const option of otherOptions) command.addOption(option);

  command.action(async () => {
    const settings = session.settings();
    const options = command.opts<OtherFlags>();
    const { data } = options;
    const input = data === undefined ? {} : await readData(data, operation, session.context.stdin);
    Object.assign(input, pathInput(pathFields, command), flagInput(flags, command));
    checkRequired(input, operation);
    const wanted = wantedResults(options);
    const idempotencyKey = idempotencyKeyOf(options, operation);
    const call: RequestedCall = { operation, settings, input, wanted, idempotencyKey };
    // This throws for an invalid --fields or --jq, also if the request is only shown.
    const printer = await printerFor(shapeOf(operation), settings, session);
    if (options.curl) await printAsCurl(call, session);
    else if (options.dryRun) await printAsJson(call, session);
    else await callOperation(call, printer, session);
  });
}

function summaryOf({ summary, deprecated, stability }: Operation): string {
  const state = deprecated ? 'deprecated' : stability;
  return state === undefined ? summary : `${summary} (${state})`;
}

/**
 * The first paragraph of the spec's description, and what the spec says of the operation's end or
 * stability. Later paragraphs are for those who write HTTP requests.
 */
function descriptionOf(operation: Operation): string {
  const [first = ''] = operation.description.split('\n\n');
  const paragraphs = [joinLines(first)];
  if (operation.deprecated) paragraphs.push(deprecationOf(operation, operation.sunset));
  else if (operation.stability)
    paragraphs.push(`This command is ${operation.stability}: it may change.`);
  return paragraphs.join('\n\n');
}

/** The flags that do not set a field of the spec, as they stand on the command line. */
interface OtherFlags {
  readonly data?: string;
  readonly limit?: string;
  readonly all?: true;
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly curl?: true;
}

function otherOptionsOf({ body, pagination, idempotencyKey }: Operation): Option[] {
  const options: Option[] = [];
  if (body) {
    const description = 'The body as JSON, @FILE, or - for stdin. Flags override it.';
    options.push(new Option('-d, --data <json>', description));
  }
  if (pagination)
    options.push(
      new Option('--limit <number>', 'The number of results, over all pages. Default: one page.'),
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

/** The number of wanted results; undefined for one page. */
function wantedResults({ limit, all }: OtherFlags): number | undefined {
  if (all) return Number.POSITIVE_INFINITY;
  if (limit === undefined) return undefined;
  return Number(parseValue({ text: limit, name: '--limit' }, { type: 'integer', minimum: 1 }));
}

function idempotencyKeyOf(
  { idempotencyKey: key }: OtherFlags,
  { idempotencyKey: declared }: Operation,
): string | undefined {
  if (key === undefined || declared === undefined) return undefined;
  if (new RegExp(declared.schema.pattern ?? '').test(key)) return key;
  throw new UsageError(
    '--idempotency-key is not a valid key.',
    'Use visible ASCII characters without spaces, for example a UUID.',
  );
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
