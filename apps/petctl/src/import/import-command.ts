import type { Operation } from '@petstore/types';
import type { Command } from 'commander';
import { type Calling, explainError, methodFor } from '../call.ts';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import type { Input } from '../input.ts';
import { checkOutput, printerFor, shapeOf } from '../output/printer.ts';
import type { Session } from '../session.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { counted } from '../text.ts';
import { FailedFile } from './failed-file.ts';
import { Import, ProgressBar, summaryOf } from './import.ts';
import { ImportFile } from './import-file.ts';
import { RecordKeys } from './record-keys.ts';
import { readRecords } from './records.ts';

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
  const hasKeys = operation.idempotencyKey !== undefined;
  const command = parent
    .command(name)
    .summary(`${operation.summary}, for each record of a file`)
    .description(
      'Reads JSON Lines, a JSON array, CSV with a header, or what petctl prints in a pipe (TSV). ' +
        `Runs 'petctl ${operation.command.join(' ')}' for each record, and prints the results in ` +
        'the order of the file. On a terminal it prints them only if a format is given. ' +
        `Ctrl-C stops after the calls in progress.${hasKeys ? ` ${repeatHint}` : ''}`,
    )
    .argument('<file>', 'The file, or - for stdin.')
    .option(
      '--failed <file>',
      'Store the records that are not added in this file, to correct and import them.',
    )
    .action((file: string) => {
      const settings = settingsOf(command, session.env);
      return runImport({ operation, file, settings, ...command.opts<ImportFlags>() }, session);
    });
  if (hasKeys)
    command.option(
      '--again',
      'Add all records, also those that an import of the last 24 hours added.',
    );
}

interface ImportOrder extends ImportFlags {
  readonly operation: Operation;
  readonly file: string;
  readonly settings: Settings;
}

async function runImport(order: ImportOrder, session: Session): Promise<void> {
  const { operation, file, settings, failed, again = false } = order;
  const { reporter, stdout, context } = session;
  const shape = { ...shapeOf(operation), isList: true };
  await checkOutput(shape, settings);
  const target = session.targetOf(settings);
  const key = await session.credentials.keyFor(target);
  const source = new ImportFile(file, context.stdin);
  const { header, records } = await readRecords(source.pieces(), operation);
  const isShown = !stdout.isTerminal || settings.output !== undefined || settings.jq !== undefined;
  const run = new Import({
    send: senderFor({ operation, settings, target, key }, session),
    keys: operation.idempotencyKey && (await RecordKeys.create(operation, again)),
    printer: isShown ? await printerFor(shape, settings, session) : undefined,
    failedFile: failed === undefined ? undefined : FailedFile.open(failed, header, source.status()),
    progress: hasBar(isShown, order, session) ? new ProgressBar(reporter, source.size) : undefined,
    reporter,
  });
  const stopListening = onSignal(context.signals, (kind) => {
    run.stop(new CliError(kind, 'Interrupted.'));
    // A file is read to its end only to store the records that are left.
    if (file === '-' || failed === undefined) source.close();
    reporter.notice('Waiting for the calls in progress. Press Ctrl-C again to stop at once.');
  });
  await run.importAll(records);
  stopListening();
  conclude(run, order, session);
}

/**
 * Handles the first SIGINT and SIGTERM. A second one ends the process. Returns a function that ends
 * this.
 */
function onSignal(
  signals: Context['signals'],
  handle: (kind: 'interrupted' | 'terminated') => void,
): () => void {
  const onInterrupt = () => handle('interrupted');
  const onTerminate = () => handle('terminated');
  signals.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate);
  return () => {
    signals.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
  };
}

function senderFor(calling: Calling, session: Session) {
  const method = methodFor(calling, session);
  return async (input: Input, idempotencyKey: string | undefined) => {
    try {
      const { data, response } = await method(input, { idempotencyKey }).withResponse();
      return { data, isReplayed: response.headers.get('idempotency-replayed') === 'true' };
    } catch (error) {
      throw explainError(error, calling);
    }
  };
}

/** Whether stderr is a terminal that can erase a line, and nothing else is shown on it. */
function hasBar(isShown: boolean, { settings }: ImportOrder, session: Session): boolean {
  const { stdout, stderr, env } = session;
  if (settings.isQuiet || settings.isVerbose || env.TERM === 'dumb') return false;
  return stderr.isTerminal && !(isShown && stdout.isTerminal);
}

/** Says how an import ended. Throws if it did not add all records. */
function conclude(run: Import, order: ImportOrder, { reporter }: Session): void {
  const { counts, stopReason } = run;
  const isUsage = stopReason instanceof CliError && stopReason.kind === 'usage';
  const isUntouched = counts.created + counts.existing + counts.failed === 0;
  if (isUsage && isUntouched) throw stopReason;
  if (counts.existing > 0) reporter.notice(existingNotice(counts.existing));
  const total = `${summaryOf(counts)}.`;
  const { failed } = order;
  const rest = failed && `${failed} has the records that are not added: correct and import it.`;
  if (stopReason !== undefined) {
    reporter.notice(sentences(total, repeatHintFor(order), rest));
    // A usage error would mean that nothing was sent.
    throw isUsage ? new CliError('partial', stopReason.message, stopReason.hint) : stopReason;
  }
  if (counts.failed > 0)
    throw new CliError('partial', total, rest ?? 'Use --failed FILE to store the failed records.');
  reporter.notice(total);
}

function repeatHintFor({ operation, again }: ImportOrder): string | undefined {
  return operation.idempotencyKey && !again ? repeatHint : undefined;
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ');
}

function existingNotice(count: number): string {
  const records = counted(count, 'record');
  return `${records} existed already: an import of the last 24 hours added equal ones. Use --again to add them once more.`;
}
