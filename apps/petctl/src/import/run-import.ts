import type { Operation } from '@petstore/types';
import { CliError } from '../errors.ts';
import { printerFor, shapeOf } from '../output/printer.ts';
import { ProgressBar } from '../output/reporter.ts';
import { methodFor } from '../service/client.ts';
import type { Context, Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { FailedFile } from './failed-file.ts';
import { RecordKeys } from './record-keys.ts';
import { countsText, RecordSender } from './record-sender.ts';
import { readRecords } from './records.ts';
import { SourceFile } from './source-file.ts';

/** An import, as the command line asks for it. */
interface ImportOrder {
  readonly operation: Operation;
  readonly settings: Settings;
  /** The name of the file, or `-` for stdin. */
  readonly file: string;
  /** The name of the file for the records that are not added. */
  readonly failed: string | undefined;
  readonly again: boolean;
  /** Says that the import can be repeated; undefined if it cannot. */
  readonly repeatHint: string | undefined;
}

/** Calls an operation for each record of a file. */
export async function runImport(order: ImportOrder, session: Session): Promise<void> {
  const { operation, settings, file, failed, again } = order;
  const { reporter, stdout, context, credentials } = session;
  const shape = { ...shapeOf(operation), isList: true };
  const printer = await printerFor(shape, settings, session);
  const setup = { operation, settings, key: await credentials.keyFor(settings.target) };
  const source = new SourceFile(file, context.stdin);
  const { header, records } = await readRecords(source.lines(), operation);
  const stats = source.stats();
  const isShown = !stdout.isTerminal || settings.output !== undefined || settings.jq !== undefined;
  const sender = new RecordSender({
    setup,
    method: methodFor(setup, session),
    keys: operation.idempotencyKey && new RecordKeys(operation, again),
    printer: isShown ? printer : undefined,
    failedFile: failed === undefined ? undefined : FailedFile.open(failed, header, stats),
    progress: hasBar(isShown, order, session)
      ? new ProgressBar(reporter, stats?.size ?? 0)
      : undefined,
    reporter,
  });
  const stopListening = onSignal(context.signals, (kind) => {
    sender.stop(new CliError(kind, 'Interrupted.'));
    // The rest of the file is read only if it is stored in the --failed file.
    if (file === '-' || failed === undefined) source.close();
    reporter.notice('Waiting for the calls in progress. Press Ctrl-C again to stop at once.');
  });
  await sender.sendAll(records);
  stopListening();
  conclude(sender, order, session);
}

/**
 * Handles the first SIGINT and the first SIGTERM. A second one ends the process. Returns a function
 * that removes the handlers.
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

/** Whether stderr is a terminal that can erase a line, and nothing else is shown on it. */
function hasBar(isShown: boolean, { settings }: ImportOrder, session: Session): boolean {
  const { stdout, stderr, options, env } = session;
  if (options.isQuiet || settings.isVerbose || env.TERM === 'dumb') return false;
  return stderr.isTerminal && !(isShown && stdout.isTerminal);
}

/** Says how an import ended. Throws if it did not add all records. */
function conclude(sender: RecordSender, order: ImportOrder, { reporter }: Session): void {
  const { counts, stopReason } = sender;
  const isUsage = stopReason instanceof CliError && stopReason.kind === 'usage';
  const isUntouched = counts.created + counts.existing + counts.failed === 0;
  if (isUsage && isUntouched) throw stopReason;
  if (counts.existing > 0) reporter.notice(existingNotice(counts.existing));
  const total = `${countsText(counts)}.`;
  const { failed, repeatHint } = order;
  const rest = failed === undefined ? undefined : restNotice(failed, sender.isReadToEnd);
  if (stopReason !== undefined) {
    const sentences = [total, repeatHint, rest].filter((sentence) => sentence !== undefined);
    reporter.notice(sentences.join(' '));
    // A usage error would mean that nothing was sent.
    throw isUsage ? new CliError('partial', stopReason.message, stopReason.hint) : stopReason;
  }
  if (counts.failed > 0)
    throw new CliError('partial', total, rest ?? 'Use --failed FILE to store the failed records.');
  reporter.notice(total);
}

/** What the --failed file has. */
function restNotice(failed: string, isComplete: boolean): string {
  return isComplete
    ? `${failed} has the records that are not added: correct and import it.`
    : `${failed} lacks the records that were not read.`;
}

function existingNotice(count: number): string {
  const records = count === 1 ? '1 record' : `${count} records`;
  return `${records} existed already: an import of the last 24 hours added equal ones. Use --again to add them once more.`;
}
