import { InterruptedError, PartialError, UsageError } from '../../io/errors.ts';
import { propertiesIn, type Row, selectedFields } from '../../output/format.ts';
import { writeNotice } from '../../output/options.ts';
import { print } from '../../output/print.ts';
import type { Invocation } from '../../parse/command.ts';
import { DEFAULT_CONCURRENCY, mapConcurrently } from './concurrency.ts';
import { openRecordsFile, openSource, type RecordsFile } from './files.ts';
import { type Counts, progressBar, summary } from './progress.ts';
import { type FileFormat, type InputRecord, type Records, readRecords } from './records.ts';
import { dryRunSender, failsEveryRecord, type RecordResult, sendRecord, serviceSender } from './send.ts';

/** Runs an operation for each record of a file, with bounded concurrency, and writes one line per result. */
export async function runImport(invocation: Invocation): Promise<void> {
  const { node, args, flags, io } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const file = String(args[0]);
  const members = propertiesIn(operation).names;
  const shape = { list: true, columns: selectedFields(flags.get('fields'), ['line', 'outcome', ...members, 'error']) };
  const sender = flags.has('dry-run') ? dryRunSender : await serviceSender(operation, invocation);
  const source = openSource(file, io);
  const { records, ignored, ...rest } = await readRecords(source.chunks, formatOf(flags.get('format')), operation);
  io.interrupted.throwIfAborted();
  const files = openFiles(flags, file, { records, ignored, ...rest });
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
  async function* toSend(): AsyncGenerator<InputRecord> {
    for await (const record of records) {
      if (stopped !== undefined && !files.failed) return;
      yield record;
    }
  }
  const send = (record: InputRecord) =>
    stopped === undefined ? sendRecord(record, sender) : Promise.resolve({ record });

  async function* results(): AsyncGenerator<Row> {
    const concurrency = Number(flags.get('concurrency') ?? DEFAULT_CONCURRENCY);
    const options = { concurrency, isOrdered: !flags.has('unordered') };
    try {
      for await (const result of mapConcurrently<InputRecord, RecordResult>(toSend(), send, options)) {
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
    gone: () => false,
  };
  try {
    await print(results(), shape, { ...invocation, settings: invocation.settings, io: { ...io, stdout } });
  } finally {
    bar.clear();
    files.failed?.close();
    files.unknown?.close();
  }
  await sender.writeDeprecations();
  for (const name of ignored) await writeNotice(invocation, `Ignored '${name}', which is not an input.`);
  if (counts.existing > 0)
    await writeNotice(
      invocation,
      'Earlier imports of the last 24 hours added the records already there. Use --again to add them once more.',
    );
  const total = summary(counts);
  const error = files.failed?.error ?? files.unknown?.error ?? stopped;
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

function openFiles(flags: Invocation['flags'], input: string, records: Records) {
  const open = (flag: string): RecordsFile | undefined => {
    const file = flags.get(flag);
    return typeof file === 'string' ? openRecordsFile(flag, file, input, records) : undefined;
  };
  return { failed: open('failed'), unknown: open('unknown') };
}

function formatOf(flag: unknown): FileFormat | undefined {
  return flag === 'jsonl' || flag === 'json' || flag === 'csv' ? flag : undefined;
}
