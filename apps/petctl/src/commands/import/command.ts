import { isBinary, type Operation } from '@petstore/types';
import type { CommandNode } from '../../parse/command.ts';
import type { Flag } from '../../settings/flag.ts';
import { kindOf } from '../../settings/value.ts';
import { DEFAULT_CONCURRENCY } from './concurrency.ts';

/** Whether an operation can be called for each record of a file: a POST whose inputs are simple body properties. */
export function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const flat = all.every(
    (field) =>
      field.in === 'body' && !isBinary(field.schema) && /^(string|integer|number|boolean)$/.test(kindOf(field.schema)),
  );
  return method === 'POST' && all.length > 0 && flat;
}

const REPEATABLE =
  ' Within 24 hours you can repeat an import, also after it was killed or with more records: it adds nothing twice.';

/** The command that runs an operation for each record of a file. */
export function importNode(operation: Operation, name: string): CommandNode {
  const [group = 'records'] = operation.command;
  return {
    name,
    operation,
    summary: `${operation.summary}, for each record of a file`,
    description: `Reads JSON Lines, a JSON array or CSV with a header, and runs \`${operation.id}\` for each record, with bounded concurrency. Each result is one line: line number, outcome, and the result or error. Ctrl-C stops after the calls in progress.${operation.idempotencyKey ? REPEATABLE : ''}`,
    examples: [
      [`${group}.jsonl`, 'From JSON Lines'],
      [`${group}.csv --failed again.csv`, 'Store failed records for another import'],
      ['- --format csv -o jsonl', 'From stdin, with results as JSON'],
    ],
    args: [
      {
        name: 'file',
        description: 'The file to read, or - for stdin.',
        rules: { type: 'string' },
        required: true,
        completes: 'file',
      },
    ],
    flags: [
      {
        name: 'format',
        value: 'format',
        description: 'The format of the file. Default: decided by its first character.',
        rules: { type: 'string', enum: ['jsonl', 'json', 'csv'] },
      },
      {
        name: 'failed',
        value: 'file',
        description:
          'A file for records that certainly failed or were not sent, to import again. Add --again if they equal other records of this import.',
        rules: { type: 'string' },
        completes: 'file',
      },
      {
        name: 'unknown',
        value: 'file',
        description: 'A file for records whose response was lost: the service may have them.',
        rules: { type: 'string' },
        completes: 'file',
      },
      {
        name: 'concurrency',
        value: 'integer',
        description: `The number of concurrent calls (default: ${DEFAULT_CONCURRENCY}).`,
        rules: { type: 'integer', minimum: 1, maximum: 64 },
      },
      ...(operation.idempotencyKey
        ? [
            {
              name: 'again',
              description: 'Add the records once more, even if an import of the last 24 hours added them.',
              rules: { type: 'boolean' },
            } satisfies Flag,
          ]
        : []),
      {
        name: 'unordered',
        description: 'Write results as calls finish, not in record order.',
        rules: { type: 'boolean' },
      },
      {
        name: 'dry-run',
        description: 'Validate every record and send nothing.',
        rules: { type: 'boolean' },
      },
    ],
    run: async (invocation) => (await import('./run.ts')).runImport(invocation),
  };
}
