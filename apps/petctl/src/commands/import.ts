import type { Operation } from '@petstore/types';
import type { Command } from 'commander';
import type { Session } from '../session.ts';

const repeatHint =
  'Run the same import again within 24 hours: records that were added are skipped.';

interface ImportFlags {
  readonly failed?: string;
  readonly again?: true;
}

/** Adds the command that calls an operation for each record of a file. */
export function addImport(
  parent: Command,
  name: string,
  operation: Operation,
  session: Session,
): void {
  const description = [
    'Reads JSON Lines, a JSON array, CSV with a header, or what petctl prints in a pipe (TSV).',
    `Runs 'petctl ${operation.command.join(' ')}' for each record, and prints the results in the order of the file.`,
    'On a terminal it prints them only if a format is given.',
    'Ctrl-C stops after the calls in progress.',
  ];
  const command = parent
    .command(name)
    .summary(`${operation.summary}, for each record of a file`)
    .argument('<file>', 'The file, or - for stdin.')
    .option('--failed <file>', 'A file for the records that are not added.');
  if (operation.idempotencyKey) {
    description.push(repeatHint);
    command.option(
      '--again',
      'Add all records, also those that an import of the last 24 hours added. If it ends early, import its --failed file.',
    );
  }
  command.description(description.join(' ')).action(async (file: string) => {
    const { failed, again = false } = command.opts<ImportFlags>();
    const settings = session.settings();
    // Loaded on demand, because only an import needs it.
    const { runImport } = await import('../import/run-import.ts');
    const isRepeatable = operation.idempotencyKey !== undefined && !again;
    const hint = isRepeatable ? repeatHint : undefined;
    await runImport({ operation, settings, file, failed, again, repeatHint: hint }, session);
  });
}
