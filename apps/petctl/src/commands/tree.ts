import { type Argument, type Flag, kebab, switchFlag, textArgument, valueFlag } from '../flags/flag.ts';
import { kindOf } from '../flags/parse-value.ts';
import { type Operation, operations, pathFieldsOf, service } from '../old.ts';
import { type CommandNode, successorHint } from '../parse/command.ts';
import { builtinCommands } from './builtin.ts';
import { runOperation } from './operation.ts';
import { operationFlags } from './operation-flags.ts';

/** The tree of all commands. Throws if a group or an operation has the name of a built-in command. */
export function fullTree(all: readonly Operation[] = Object.values(operations)): CommandNode {
  const groups = groupsOf(all);
  const builtin = builtinCommands();
  const clash = builtin.find(({ name }) => groups.some((group) => group.name === name));
  if (clash) throw new Error(`'petctl ${clash.name}' is built in: rename the tag in the spec`);
  return {
    name: 'petctl',
    summary: `${service.title} from the command line`,
    description: service.summary,
    flags: [switchFlag('version', 'Show the version.')],
    commands: [...groups, ...builtin],
  };
}

/** The commands of the operations, grouped by tag; the generator guarantees unique names. */
function groupsOf(operations: readonly Operation[]): CommandNode[] {
  const groups = new Map<string, CommandNode[]>();
  for (const operation of operations) {
    const [group = '', name = ''] = operation.command;
    const commands = groups.get(group) ?? [];
    groups.set(group, commands);
    commands.push(operationNode(operation, name, operations));
  }
  return [...groups].map(([name, commands]) => ({
    name,
    summary: `Commands for ${name}`,
    commands: [...commands, ...importCommands(name, commands)],
  }));
}

/** An import for each operation of a group that allows it. */
function importCommands(group: string, commands: readonly CommandNode[]): CommandNode[] {
  const imports = commands.flatMap(({ operation, name }) =>
    // The name depends on this operation only, so another operation cannot change the name.
    operation && isImportable(operation)
      ? [importNode(operation, name === 'create' ? 'import' : `import-${name}`)]
      : [],
  );
  const clash = imports.find(({ name }) => commands.some((other) => other.name === name));
  if (clash) throw new Error(`'petctl ${group} ${clash.name}' is built in: rename the operation in the spec`);
  return imports;
}

function operationNode(operation: Operation, name: string, all: readonly Operation[]): CommandNode {
  const notice = noticeOf(operation, all);
  let flags: readonly Flag[] | undefined;
  return {
    name,
    summary: operation.summary,
    description: operation.description,
    operation,
    args: argumentsOf(operation),
    // Creating flags takes time, so they are created only for the command that is called or shown.
    get flags() {
      flags ??= operationFlags(operation);
      return flags;
    },
    ...(notice && { notice }),
    run: (invocation) => runOperation(operation, invocation),
  };
}

/** Path fields as arguments, in the order of the path. */
function argumentsOf(operation: Operation): Argument[] {
  return pathFieldsOf(operation).flatMap((name) => {
    const field = operation.fields[name];
    return field ? [{ name: kebab(name), description: field.description, schema: field.schema, required: true }] : [];
  });
}

/** The notice of a deprecated or unstable operation; undefined for other operations. */
function noticeOf(
  { deprecated, sunset, stability, successor }: Operation,
  all: readonly Operation[],
): string | undefined {
  if (!deprecated) return stability && `${stability}: may still change.`;
  return `Deprecated${sunset ? `: may be removed from ${sunset} on` : ''}.${successorHint(successor, all)}`;
}

/** Whether an operation can be called for each record of a file: a POST whose inputs are simple body properties. */
function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const isFlat = all.every(
    (field) => field.in === 'body' && /^(string|integer|number|boolean)$/.test(kindOf(field.schema)),
  );
  return method === 'POST' && all.length > 0 && isFlat;
}

const DEFAULT_CONCURRENCY = 8;
const REPEATABLE =
  ' Within 24 hours you can repeat an import, also after it was killed or with more records: records that the service already added are skipped.';

/** The command that runs an operation for each record of a file. */
function importNode(operation: Operation, name: string): CommandNode {
  const [group = 'records'] = operation.command;
  return {
    name,
    operation,
    summary: `${operation.summary}, for each record of a file`,
    description: `Reads JSON Lines, a JSON array or CSV with a header, and runs \`${operation.id}\` for each record. Writes a result for each record: its line number (in a JSON array its position), the outcome, and the response or the error. Ctrl-C stops after the calls in progress.${operation.idempotencyKey ? REPEATABLE : ''}`,
    examples: [
      [`${group}.jsonl`, 'From JSON Lines'],
      [`${group}.csv --failed again.csv`, 'Store failed records for another import'],
      ['- --format csv -o jsonl', 'From stdin, with results as JSON'],
    ],
    args: [textArgument('file', 'The file to read, or - for stdin.', { completes: 'file' })],
    flags: [
      valueFlag('format', 'format', 'The format of the file. Default: recognized by the first character.', {
        schema: { type: 'string', enum: ['jsonl', 'json', 'csv'] },
      }),
      valueFlag(
        'failed',
        'file',
        `A file for records that were not added, to correct and import.${operation.idempotencyKey ? ' Use --again with it if this import added equal records.' : ''}`,
        { completes: 'file' },
      ),
      valueFlag('unknown', 'file', 'A file for records that the service may have added.', {
        completes: 'file',
      }),
      valueFlag('concurrency', 'integer', `The number of concurrent calls. Default: ${DEFAULT_CONCURRENCY}.`, {
        schema: { type: 'integer', minimum: 1, maximum: 64 },
      }),
      ...(operation.idempotencyKey
        ? [switchFlag('again', 'Add all records, including records that an import in the last 24 hours added.')]
        : []),
      switchFlag('unordered', 'Write results as calls finish, not in record order.'),
      switchFlag('dry-run', 'Validate every record and send nothing.'),
    ],
    run: async (invocation) => (await import('./import/run.ts')).runImport(operation, invocation, DEFAULT_CONCURRENCY),
  };
}
