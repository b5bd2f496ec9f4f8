import { isBinary, type Operation } from '@petstore/types';
import type { CommandNode } from '../../parse/node.ts';
import type { Flag } from '../../settings/flag.ts';
import { kindOf } from '../../settings/value.ts';
import { DEFAULT_CONCURRENCY } from './window.ts';

/** Whether each line of a file can be one call: it adds something, all of which stands flat in the body. */
export function isImportable({ method, fields }: Operation): boolean {
  const all = Object.values(fields);
  const flat = all.every(
    (field) =>
      field.in === 'body' && !isBinary(field.schema) && /^(string|integer|number|boolean)$/.test(kindOf(field.schema)),
  );
  return method === 'POST' && all.length > 0 && flat;
}

const REPEATABLE =
  ' The same import again, also after it was killed or with records added to the file, adds nothing twice within 24 hours.';

/** The command that runs an operation for each line of a file. */
export function importNode(operation: Operation, name: string): CommandNode {
  const [group = 'records'] = operation.command;
  return {
    name,
    operation,
    summary: `${operation.summary}, for each record of a file`,
    description: `Reads JSON Lines, a JSON array or CSV with a header, and runs \`${operation.id}\` for each record, a few at a time. One line is written for each: where it stood, how it ended, and what came of it. Ctrl-C stops after the calls under way.${operation.idempotencyKey ? REPEATABLE : ''}`,
    examples: [
      [`${group}.jsonl`, 'From JSON Lines'],
      [`${group}.csv --failed again.csv`, 'Keep what failed, to import it again'],
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
        description: 'The format of the file; without it, the first character decides.',
        rules: { type: 'string', enum: ['jsonl', 'json', 'csv'] },
      },
      {
        name: 'failed',
        value: 'file',
        description:
          'Where to write the records that failed for sure or were not sent, to import them again; with --again where they are equal to others of the import.',
        rules: { type: 'string' },
        completes: 'file',
      },
      {
        name: 'unknown',
        value: 'file',
        description: 'Where to write the records whose answer was lost: the service may have them.',
        rules: { type: 'string' },
        completes: 'file',
      },
      {
        name: 'concurrency',
        value: 'integer',
        description: `How many calls may be under way at a time (default: ${DEFAULT_CONCURRENCY}).`,
        rules: { type: 'integer', minimum: 1, maximum: 64 },
      },
      ...(operation.idempotencyKey
        ? [
            {
              name: 'again',
              description: 'Add the records once more, though an import of the last 24 hours may have added them.',
              rules: { type: 'boolean' },
            } satisfies Flag,
          ]
        : []),
      {
        name: 'unordered',
        description: 'Write results as calls end, not in the order of the records.',
        rules: { type: 'boolean' },
      },
      {
        name: 'dry-run',
        description: 'Check every record and send nothing.',
        rules: { type: 'boolean' },
      },
    ],
    run: async (invocation) => (await import('./run.ts')).runImport(invocation),
  };
}
