import { CliError, UsageError } from '../../io/errors.ts';
import type { Operation } from '../../old.ts';
import { propertiesIn, type Row, selectedFields } from '../../output/format.ts';
import { checkFilter } from '../../output/jq.ts';
import { print } from '../../output/print.ts';
import { writeNotice } from '../../output/report.ts';
import type { Invocation } from '../../parse/command.ts';
import { type ProgressBar, progressBar } from './progress-bar.ts';
import { openRecordsFiles, openSource, type RecordsFiles, type Source } from './record-files.ts';
import { type FileFormat, type ImportedRecords, type InputRecord, readRecords } from './records.ts';
import {
  columnOf,
  dryRunSender,
  failsEveryRecord,
  mapConcurrently,
  type Outcome,
  type RecordResult,
  type Sender,
  sendRecord,
  serviceSender,
} from './send.ts';

/** Runs an operation for each record of a file, with bounded concurrency, and writes one line per result. */
export async function runImport(
  operation: Operation,
  invocation: Invocation,
  defaultConcurrency: number,
): Promise<void> {
  const { args, flags, io } = invocation;
  const importedFile = String(args[0]);
  const properties = propertiesIn(operation).map(columnOf);
  const columns = selectedFields(flags.get('fields'), ['line', 'outcome', ...properties, 'error']);
  await checkFilter(invocation);
  const sender = flags.has('dry-run') ? dryRunSender : await serviceSender(operation, invocation);
  const source = openSource(importedFile, io);
  const imported = await readRecords(source.chunks, flags.get('format') as FileFormat | undefined, operation);
  // A signal before `stopAtSignals` aborts at once.
  io.interrupted.throwIfAborted();
  const files = openRecordsFiles(flags, importedFile, imported);
  const counts: Counts = { created: 0, existing: 0, valid: 0, failed: 0, unknown: 0 };
  const bar = progressBar(invocation, source.progress, () => summary(counts));
  const run: Run = { invocation, files, counts, bar, stopReason: undefined };
  stopAtSignals(run, source);
  const concurrency = Number(flags.get('concurrency') ?? defaultConcurrency);
  await printRows(run, columns, sendRecords(run, imported.records, sender, concurrency));
  await sender.writeDeprecation?.();
  for (const name of imported.ignored)
    await writeNotice(invocation, `Ignored the property '${name}', because ${operation.id} has no such input.`);
  if (counts.existing > 0)
    await writeNotice(
      invocation,
      'An import in the last 24 hours added the existing records, so they were skipped. Use --again to add them again.',
    );
  // An error of the --failed or --unknown file is reported instead of the reason for the stop, even if the error came later.
  await finish(invocation, counts, files.error() ?? run.stopReason);
}

/** The state of an import. */
interface Run {
  readonly invocation: Invocation;
  readonly files: RecordsFiles;
  readonly counts: Counts;
  readonly bar: ProgressBar;
  /** The error or interrupt that stops the import. Later records are stored in the --failed file, unsent. */
  stopReason: unknown;
}

/** Stops the import at the first signal, and at the second also its calls in progress. */
function stopAtSignals(run: Run, source: Source): void {
  const { args, io } = run.invocation;
  io.onInterrupt((reason) => {
    run.stopReason ??= reason;
    // Stdin may never end. A file is read to its end only to store the remaining records in the --failed file.
    if (args[0] === '-' || !run.files.failed) source.close();
    run.bar.clear();
    void writeNotice(run.invocation, 'Waiting for the calls in progress. Press Ctrl-C again to stop at once.');
  });
  io.interrupted.addEventListener('abort', () => {
    run.stopReason ??= io.interrupted.reason;
    source.close();
  });
}

/** Sends the records until the import stops, and yields the row of each result. An error of `records` stops the import. */
async function* sendRecords(run: Run, records: ImportedRecords['records'], sender: Sender, concurrency: number) {
  const { files, counts, bar } = run;
  const send = async (record: InputRecord): Promise<RecordResult> =>
    run.stopReason === undefined ? sendRecord(record, sender) : { record };
  const options = { concurrency, isOrdered: !run.invocation.flags.has('unordered') };
  try {
    for await (const { record, outcome, error, row } of mapConcurrently(neededRecords(run, records), send, options)) {
      if (outcome) counts[outcome]++;
      // A result without an outcome is that of a record that was not sent.
      if (!outcome || outcome === 'failed') files.failed?.add(record.raw);
      if (outcome === 'unknown') files.unknown?.add(record.raw);
      run.stopReason ??= failsEveryRecord(error) ? error : files.error();
      bar.draw();
      if (row) yield row;
    }
  } catch (error) {
    run.stopReason ??= error;
  }
}

/** The records to send; after a stop, those to store in the --failed file. */
async function* neededRecords(run: Run, records: ImportedRecords['records']): AsyncGenerator<InputRecord> {
  for await (const record of records) {
    if (run.stopReason !== undefined && !run.files.failed) return;
    yield record;
  }
}

/** Prints the rows. An error, for example of a filter that fails for one row, stops the import after the calls in progress. */
async function printRows(run: Run, columns: readonly string[], rows: AsyncGenerator<Row>): Promise<void> {
  const { invocation, files, bar } = run;
  const { io } = invocation;
  const write = (text: string | Uint8Array) => {
    if (io.stdout.isTerminal) bar.clear();
    return io.stdout.write(text);
  };
  // If stdout is closed, the import continues.
  const stdout = { ...io.stdout, write, isClosed: () => false };
  try {
    // `print` gets an iterator without `return`, so its failure does not end `rows`, and the `catch` below reads the rest.
    const all = { [Symbol.asyncIterator]: () => ({ next: () => rows.next() }) };
    await print(all, { list: true, columns }, { ...invocation, io: { ...io, stdout } });
  } catch (error) {
    run.stopReason ??= error;
    // Awaits the calls in progress, and stores the remaining records in the --failed file.
    while (!(await rows.next()).done);
  } finally {
    bar.clear();
    files.failed?.close();
    files.unknown?.close();
  }
}

/** Writes the totals as a notice, or throws: the error that stopped the import, or one for failed and unknown records. */
async function finish(invocation: Invocation, counts: Counts, error: unknown): Promise<void> {
  const total = summary(counts);
  const { created, existing, failed, unknown } = counts;
  if (error === undefined && failed + unknown > 0)
    throw new CliError('partial', `${total}.`, hintFor(invocation, counts));
  // The exit code of a usage error would say that nothing was sent, which may be false here.
  if (error instanceof UsageError && created + existing + failed + unknown > 0)
    throw new CliError(
      'partial',
      `${error.message} ${total}.`,
      [error.hint, isRepeatable(invocation) ? REPEAT_HINT : hintFor(invocation, counts)].filter(Boolean).join(' '),
    );
  // After a usage error nothing was sent.
  if (!(error instanceof UsageError))
    await writeNotice(invocation, [`${total}.`, error !== undefined && restHint(invocation)].filter(Boolean).join(' '));
  if (error !== undefined) throw error;
}

/** How to import the records that a stopped import has not added. */
function restHint(invocation: Invocation): string | undefined {
  const { flags } = invocation;
  if (flags.has('dry-run')) return undefined;
  if (isRepeatable(invocation)) return REPEAT_HINT;
  return flags.has('failed')
    ? `${flags.get('failed')} contains the records that failed, and those that were read but not sent.`
    : undefined;
}

const REPEAT_HINT = 'Run the same import again within 24 hours: records that the service already added are skipped.';

/** Whether a repeated import skips the records that the service has already added. */
function isRepeatable({ node: command, flags }: Invocation): boolean {
  return command.operation?.idempotencyKey !== undefined && !flags.has('again');
}

function hintFor(invocation: Invocation, { failed, unknown }: Counts): string | undefined {
  const { flags } = invocation;
  if (failed > 0)
    return flags.has('failed')
      ? `${flags.get('failed')} contains the failed records: correct and import them.`
      : 'Use --failed FILE to store the failed records for another import.';
  if (unknown > 0 && isRepeatable(invocation)) return REPEAT_HINT;
  if (unknown > 0 && !flags.has('unknown'))
    return 'Use --unknown FILE to store the records that the service may have added.';
  return undefined;
}

/** The number of records by outcome; see `Outcome`. Records after a stop have no outcome, and are not counted. */
type Counts = Record<Outcome, number>;

/** `3 created, 1 failed`: the outcomes that occurred. */
function summary({ created, existing, valid, failed, unknown }: Counts): string {
  const parts = Object.entries({ valid, created, existing, failed, unknown })
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return parts.length > 0 ? parts.join(', ') : '0 records';
}
