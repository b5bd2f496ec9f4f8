import { isBinary, type Operation } from '@petstore/types';
import { switchFlag, textArgument, valueFlag } from '../../flags/flag.ts';
import { kindOf } from '../../flags/parse-value.ts';
import type { CommandNode } from '../../parse/command.ts';

const DEFAULT_CONCURRENCY = 8;

/** Whether an operation can be called for each record of a file: a POST whose inputs are simple body properties. */
export function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const isFlat = all.every(
    (field) =>
      field.in === 'body' && !isBinary(field.schema) && /^(string|integer|number|boolean)$/.test(kindOf(field.schema)),
  );
  return method === 'POST' && all.length > 0 && isFlat;
}

const REPEATABLE =
  ' Within 24 hours you can repeat an import, also after it was killed or with more records: records that the service already added are skipped.';

/** The command that runs an operation for each record of a file. */
export function importNode(operation: Operation, name: string): CommandNode {
  const [group = 'records'] = operation.command;
  return {
    name,
    operation,
    summary: `${operation.summary}, for each record of a file`,
    description: `Reads JSON Lines, a JSON array or CSV with a header, and runs \`${operation.id}\` for each record. Each result is one line: line number, outcome, and the result or error. Ctrl-C stops after the calls in progress.${operation.idempotencyKey ? REPEATABLE : ''}`,
    examples: [
      [`${group}.jsonl`, 'From JSON Lines'],
      [`${group}.csv --failed again.csv`, 'Store failed records for another import'],
      ['- --format csv -o jsonl', 'From stdin, with results as JSON'],
    ],
    args: [textArgument('file', 'The file to read, or - for stdin.', { completes: 'file' })],
    flags: [
      valueFlag('format', 'format', 'The format of the file. Default: decided by its first character.', {
        schema: { type: 'string', enum: ['jsonl', 'json', 'csv'] },
      }),
      valueFlag(
        'failed',
        'file',
        'A file for records that certainly failed or were not sent, to import again. Add --again if they equal other records of this import.',
        { completes: 'file' },
      ),
      valueFlag('unknown', 'file', 'A file for records that the service may have added.', {
        completes: 'file',
      }),
      valueFlag('concurrency', 'integer', `The number of concurrent calls (default: ${DEFAULT_CONCURRENCY}).`, {
        schema: { type: 'integer', minimum: 1, maximum: 64 },
      }),
      ...(operation.idempotencyKey
        ? [switchFlag('again', 'Add all records, including records that an import in the last 24 hours added.')]
        : []),
      switchFlag('unordered', 'Write results as calls finish, not in record order.'),
      switchFlag('dry-run', 'Validate every record and send nothing.'),
    ],
    run: async (invocation) => (await import('./run.ts')).runImport(invocation, DEFAULT_CONCURRENCY),
  };
}
