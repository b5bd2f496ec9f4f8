import type { Operation } from '@petstore/types';
import { CliError, InterruptedError, UsageError } from '../../io/errors.ts';
import type { Sink } from '../../io/process-io.ts';
import { propertiesIn, type Row, selectedFields } from '../../output/format.ts';
import { checkFilter, print } from '../../output/print.ts';
import { writeNotice } from '../../output/report.ts';
import type { Invocation } from '../../parse/command.ts';
import { isSameFile, openRecordsFile, openSource, type RecordsFile } from './record-files.ts';
import { type FileFormat, type InputRecord, type Records, readRecords } from './records.ts';
import {
  columnOf,
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
  const properties = propertiesIn(operation).names.map(columnOf);
  const columns = selectedFields(flags.get('fields'), ['line', 'outcome', ...properties, 'error']);
  await checkFilter(invocation);
  const sender: Sender = flags.has('dry-run') ? {} : await serviceSender(operation, invocation);
  const source = openSource(importedFile, io);
  const format = flags.get('format') as FileFormat | undefined;
  const imported = await readRecords(source.chunks, format, operation);
  io.interrupted.throwIfAborted();
  const recordsFiles = openRecordsFiles(flags, importedFile, imported);
  const counts: Counts = { created: 0, existing: 0, valid: 0, failed: 0, unknown: 0 };
  const bar = progressBar(io.stderr, flags.has('quiet'), source.progress, counts);

  /** The error or interrupt after which no more records are sent. */
  let stopReason: unknown;
  io.onInterrupt((reason) => {
    stopReason ??= reason;
    // Stdin may never end, so reading stops. A file is read to the end, so the remaining records are stored in the --failed file.
    if (importedFile === '-' || !recordsFiles.failed) source.close();
    bar.clear();
    void writeNotice(invocation, 'Waiting for the calls in progress. Press Ctrl-C again to stop at once.');
  });
  io.interrupted.addEventListener('abort', () => {
    stopReason ??= io.interrupted.reason;
    source.close();
  });

  /** The records to send, or after a stop to store in the --failed file. */
  async function* recordsToProcess(): AsyncGenerator<InputRecord> {
    for await (const record of imported.records) {
      if (stopReason !== undefined && !recordsFiles.failed) return;
      yield record;
    }
  }
  /** After a stop, the result has no outcome: the record is not sent. */
  const send = (record: InputRecord) =>
    stopReason === undefined ? sendRecord(record, sender) : Promise.resolve({ record });

  async function* results(): AsyncGenerator<Row> {
    const concurrency = Number(flags.get('concurrency') ?? defaultConcurrency);
    const options = { concurrency, isOrdered: !flags.has('unordered') };
    try {
      for await (const result of mapConcurrently<InputRecord, RecordResult>(recordsToProcess(), send, options)) {
        if (result.outcome) counts[result.outcome]++;
        // A result without an outcome is that of a record that was not sent.
        if (!result.outcome || result.outcome === 'failed') recordsFiles.failed?.add(result.record.raw);
        if (result.outcome === 'unknown') recordsFiles.unknown?.add(result.record.raw);
        if (failsEveryRecord(result.error)) stopReason ??= result.error;
        stopReason ??= recordsFiles.failed?.error ?? recordsFiles.unknown?.error;
        bar.draw();
        if (result.row) yield result.row;
      }
    } catch (error) {
      stopReason ??= error;
    }
  }

  const all = results();
  try {
    const toStdout = { ...invocation, io: { ...io, stdout: stdoutBeside(bar, io.stdout) } };
    // Without `return`, so that an error of `print` does not end the results.
    const rows = { [Symbol.asyncIterator]: () => ({ next: () => all.next() }) };
    await print(rows, { list: true, columns }, toStdout);
  } catch (error) {
    // For example of a filter that fails for one result: the calls in progress end, and the other records are not sent.
    stopReason ??= error;
    while (!(await all.next()).done);
  } finally {
    bar.clear();
    recordsFiles.failed?.close();
    recordsFiles.unknown?.close();
  }
  await sender.writeDeprecation?.();
  for (const name of imported.ignored)
    await writeNotice(invocation, `Ignored the property '${name}', because ${operation.id} has no such input.`);
  if (counts.existing > 0)
    await writeNotice(
      invocation,
      "The records counted as 'already there' were added by an import in the last 24 hours, and were skipped. Use --again to add them again.",
    );
  await finish(invocation, counts, recordsFiles.failed?.error ?? recordsFiles.unknown?.error ?? stopReason);
}

/** A stdout that removes the progress bar before other output. If it is closed, the import continues. */
function stdoutBeside(bar: ProgressBar, stdout: Sink): Sink {
  const write = (text: string | Uint8Array) => {
    if (stdout.isTerminal) bar.clear();
    return stdout.write(text);
  };
  return { ...stdout, write, isClosed: () => false };
}

/** Writes the totals as a notice, or throws: the error that stopped the import, or one for failed and unknown records. */
async function finish(invocation: Invocation, counts: Counts, error: unknown): Promise<void> {
  const total = summary(counts);
  const { created, existing, failed, unknown } = counts;
  const isPartial = error === undefined && failed + unknown > 0;
  if (isPartial) throw new CliError('partial', `${total}.`, hintFor(invocation, counts));
  if (error instanceof UsageError && created + existing + failed + unknown > 0)
    throw new CliError(
      'partial',
      `${error.message} ${total}.`,
      [error.hint, isRepeatable(invocation) ? REPEAT_HINT : hintFor(invocation, counts)].filter(Boolean).join(' '),
    );
  if (error === undefined || error instanceof InterruptedError) await writeNotice(invocation, `${total}.`);
  if (error !== undefined) throw error;
}

const REPEAT_HINT = 'Run the same import again within 24 hours: records that the service already added are skipped.';

/** Whether the service recognizes records that it has already added. */
function isRepeatable({ node: command }: Invocation): boolean {
  return command.operation?.idempotencyKey !== undefined;
}

function hintFor(invocation: Invocation, { failed, unknown }: Counts): string | undefined {
  const { flags } = invocation;
  if (failed > 0)
    return flags.has('failed')
      ? `Import ${flags.get('failed')}, which contains the failed records.`
      : 'Use --failed FILE to store the failed records for another import.';
  if (unknown > 0 && isRepeatable(invocation)) return REPEAT_HINT;
  if (unknown > 0 && !flags.has('unknown'))
    return 'Use --unknown FILE to store the records that the service may have added.';
  return undefined;
}

/** Opens the files of --failed and --unknown, if these flags are set. */
function openRecordsFiles(flags: Invocation['flags'], importedFile: string, records: Records) {
  if (isSameFile(flags.get('failed'), flags.get('unknown')))
    throw new UsageError('--failed and --unknown name the same file.', 'Pass two files.');
  const open = (flag: string): RecordsFile | undefined => {
    const recordsFile = flags.get(flag);
    return typeof recordsFile === 'string' ? openRecordsFile(flag, recordsFile, importedFile, records) : undefined;
  };
  return { failed: open('failed'), unknown: open('unknown') };
}

/** The number of records by outcome; see `Outcome`. Records that were not sent have no outcome, and are not counted. */
type Counts = Record<Outcome, number>;

/** `3 created, 1 failed`: the outcomes that occurred. */
function summary({ created, existing, valid, failed, unknown }: Counts): string {
  const parts = Object.entries({ valid, created, 'already there': existing, failed, unknown })
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return parts.length > 0 ? parts.join(', ') : 'nothing to import';
}

interface ProgressBar {
  /** Redraws the bar, at most ten times a second. */
  draw(): void;
  /** Removes the bar before other output. */
  clear(): void;
}

const REDRAW_MS = 100;
const ERASE_LINE = '\r\u001b[K';

/** A progress bar. If stderr is not a terminal, the bar is never drawn. */
function progressBar(stderr: Sink, isQuiet: boolean, progress: () => number | undefined, counts: Counts): ProgressBar {
  if (!stderr.isTerminal || isQuiet) return { draw: () => {}, clear: () => {} };
  let [drawnAt, isVisible] = [0, false];
  return {
    draw: () => {
      const now = performance.now();
      if (isVisible && now - drawnAt < REDRAW_MS) return;
      [drawnAt, isVisible] = [now, true];
      void stderr.write(`${ERASE_LINE}${barOf(progress())}${summary(counts)}`);
    },
    clear: () => {
      if (isVisible) void stderr.write(ERASE_LINE);
      isVisible = false;
    },
  };
}

/** `[####----]  50 %`; empty if the length of the file is unknown. */
function barOf(progress: number | undefined): string {
  if (progress === undefined) return '';
  const [width, full] = [24, Math.round(progress * 24)];
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${String(Math.floor(progress * 100)).padStart(3)} %  `;
}
