import { InterruptedError, PartialError, UsageError } from '../../io/errors.ts';
import type { Sink } from '../../io/process-io.ts';
import { propertiesIn, type Row, selectedFields } from '../../output/format.ts';
import { print } from '../../output/print.ts';
import { writeNotice } from '../../output/report.ts';
import type { Invocation } from '../../parse/command.ts';
import { openRecordsFile, openSource, type RecordsFile } from './record-files.ts';
import { type FileFormat, type InputRecord, type Records, readRecords } from './records.ts';
import {
  dryRunSender,
  failsEveryRecord,
  mapConcurrently,
  type Outcome,
  type RecordResult,
  sendRecord,
  serviceSender,
} from './send.ts';

/** Runs an operation for each record of a file, with bounded concurrency, and writes one line per result. */
export async function runImport(invocation: Invocation, defaultConcurrency: number): Promise<void> {
  const { node, args, flags, io } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const file = String(args[0]);
  const properties = propertiesIn(operation).names;
  const columns = selectedFields(flags.get('fields'), ['line', 'outcome', ...properties, 'error']);
  const sender = flags.has('dry-run') ? dryRunSender : await serviceSender(operation, invocation);
  const source = openSource(file, io);
  const input = await readRecords(source.chunks, formatOf(flags.get('format')), operation);
  io.interrupted.throwIfAborted();
  const files = openRecordsFiles(flags, file, input);
  const counts: Counts = { created: 0, existing: 0, valid: 0, failed: 0, unknown: 0 };
  const bar = progressBar(io.stderr, flags.has('quiet'), source.progress, counts);

  let stopped: unknown;
  io.onInterrupt((reason) => {
    stopped ??= reason;
    // Stdin may never end. A file is read to the end, to store the rest in the --failed file.
    if (file === '-' || !files.failed) source.close();
    bar.clear();
    void writeNotice(invocation, 'Waiting for the calls in progress. Press Ctrl-C again to stop at once.');
  });
  io.interrupted.addEventListener('abort', () => {
    stopped ??= io.interrupted.reason;
    source.close();
  });

  /** After a stop, the remaining records are read only for the --failed file. */
  async function* recordsToHandle(): AsyncGenerator<InputRecord> {
    for await (const record of input.records) {
      if (stopped !== undefined && !files.failed) return;
      yield record;
    }
  }
  const send = (record: InputRecord) =>
    stopped === undefined ? sendRecord(record, sender) : Promise.resolve({ record });

  async function* results(): AsyncGenerator<Row> {
    const concurrency = Number(flags.get('concurrency') ?? defaultConcurrency);
    const options = { concurrency, isOrdered: !flags.has('unordered') };
    try {
      for await (const result of mapConcurrently<InputRecord, RecordResult>(recordsToHandle(), send, options)) {
        if (result.outcome) counts[result.outcome]++;
        if (!result.outcome || result.outcome === 'failed') files.failed?.add(result.record.raw);
        if (result.outcome === 'unknown') files.unknown?.add(result.record.raw);
        if (failsEveryRecord(result.error)) stopped ??= result.error;
        stopped ??= files.failed?.error ?? files.unknown?.error;
        bar.draw();
        if (result.row) yield result.row;
      }
    } catch (error) {
      stopped ??= error;
    }
  }

  const stdout = {
    ...io.stdout,
    write: (text: string) => {
      if (io.stdout.isTerminal) bar.clear();
      return io.stdout.write(text);
    },
    // A closed stdout must not stop the import.
    isClosed: () => false,
  };
  try {
    const toStdout = { ...invocation, io: { ...io, stdout } };
    await print(results(), { list: true, columns }, toStdout);
  } finally {
    bar.clear();
    files.failed?.close();
    files.unknown?.close();
  }
  await sender.writeDeprecations();
  for (const name of input.ignored) await writeNotice(invocation, `Ignored '${name}', which is not an input.`);
  if (counts.existing > 0)
    await writeNotice(
      invocation,
      'Earlier imports of the last 24 hours added the records already there. Use --again to add them once more.',
    );
  await finish(invocation, counts, files.failed?.error ?? files.unknown?.error ?? stopped);
}

/** Writes the totals as a notice, or throws the error of the import. */
async function finish(invocation: Invocation, counts: Counts, error: unknown): Promise<void> {
  const total = summary(counts);
  const isPartial = error === undefined && counts.failed + counts.unknown > 0;
  if (isPartial || (error instanceof UsageError && counts.created + counts.existing > 0))
    throw new PartialError(
      error instanceof UsageError ? `${error.message} ${total}.` : `${total}.`,
      hintFor(invocation, counts),
    );
  if (error === undefined || error instanceof InterruptedError) await writeNotice(invocation, `${total}.`);
  if (error !== undefined) throw error;
}

function hintFor({ flags, node }: Invocation, { failed, unknown }: Counts): string | undefined {
  const isRepeatable = node.operation?.idempotencyKey !== undefined;
  if (failed > 0)
    return flags.has('failed')
      ? `Import ${flags.get('failed')}, which contains the failed records.`
      : 'Use --failed FILE to store the failed records for another import.';
  if (unknown > 0 && isRepeatable) return 'Run the same import again: it adds nothing twice.';
  if (unknown > 0 && !flags.has('unknown')) return 'Use --unknown FILE to store the records that the service may have.';
  return undefined;
}

function openRecordsFiles(flags: Invocation['flags'], input: string, records: Records) {
  const open = (flag: string): RecordsFile | undefined => {
    const file = flags.get(flag);
    return typeof file === 'string' ? openRecordsFile(flag, file, input, records) : undefined;
  };
  return { failed: open('failed'), unknown: open('unknown') };
}

function formatOf(flag: unknown): FileFormat | undefined {
  return flag === 'jsonl' || flag === 'json' || flag === 'csv' ? flag : undefined;
}

/** The number of records by outcome. */
type Counts = Record<Outcome, number>;

/** `3 created, 1 failed`: the outcomes that occurred. */
function summary({ created, existing, valid, failed, unknown }: Counts): string {
  const parts = Object.entries({ valid, created, 'already there': existing, failed, unknown })
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return parts.length > 0 ? parts.join(', ') : 'nothing to import';
}

interface ProgressBar {
  /** Redraws it, at most ten times a second. */
  draw(): void;
  /** Removes it before other output. */
  clear(): void;
}

const REDRAW_MS = 100;
const ERASE_LINE = '\r\u001b[K';

/** A progress bar on a terminal, and nothing elsewhere. */
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

function barOf(progress: number | undefined): string {
  if (progress === undefined) return '';
  const [width, full] = [24, Math.round(progress * 24)];
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${String(Math.floor(progress * 100)).padStart(3)} %  `;
}
