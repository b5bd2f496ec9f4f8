import { ConnectionError, mayRetry, PetstoreError, petstore } from '@petstore/client';
import type { Operation } from '@petstore/types';
import { createCall, credentialsFor, serviceFor } from '../../call/service.ts';
import { InterruptedError, PartialError, UsageError } from '../../io/errors.ts';
import type { Row } from '../../output/format.ts';
import { tell } from '../../output/options.ts';
import { print } from '../../output/print.ts';
import { endingOf } from '../../output/report.ts';
import { chosen, propertiesIn } from '../../output/shape.ts';
import type { Invocation } from '../../parse/node.ts';
import { openRecordsFile, openSource, type RecordsFile } from './files.ts';
import { recordKeys } from './keys.ts';
import { type Counts, progressBar, summary } from './progress.ts';
import { type FileFormat, type InputRecord, type Records, readRecords } from './records.ts';
import { DEFAULT_CONCURRENCY, inWindow } from './window.ts';

/** How one record ended; without an outcome it was not sent. */
interface Ended {
  readonly record: InputRecord;
  readonly outcome?: keyof Counts;
  readonly row?: Row;
  readonly error?: unknown;
}

/** Runs an operation for each record of a file, a bounded number at a time, and writes one line for each as it ends. */
export async function runImport(invocation: Invocation): Promise<void> {
  const { node, args, flags, io } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const file = String(args[0]);
  const members = propertiesIn(operation).names;
  const shape = { list: true, columns: chosen(flags.get('fields'), ['line', 'outcome', ...members, 'error']) };
  const { send, tellDeprecation } = flags.has('dry-run') ? checkOnly : await sender(operation, invocation);
  const source = openSource(file, io);
  const { records, ignored, ...rest } = await readRecords(source.chunks, formatOf(flags.get('format')), operation);
  io.interrupted.throwIfAborted();
  const files = openFiles(flags, file, { records, ignored, ...rest });
  const counts: Counts = { created: 0, existing: 0, valid: 0, failed: 0, unknown: 0 };
  const bar = progressBar(io.stderr, flags.has('quiet'), source.progress, counts);

  let stopped: unknown;
  io.onInterrupt((reason) => {
    stopped ??= reason;
    // What comes on stdin may never end. A file is read on for the records to import again.
    if (file === '-' || !files.failed) source.close();
    bar.clear();
    void tell(invocation, 'Waiting for the calls under way; Ctrl-C again does not wait.');
  });
  io.interrupted.addEventListener('abort', () => {
    stopped ??= io.interrupted.reason;
    source.close();
  });

  /** What is read once nothing more is sent is to be imported again. */
  async function* toSend(): AsyncGenerator<InputRecord> {
    for await (const record of records) {
      if (stopped !== undefined && !files.failed) return;
      yield record;
    }
  }
  const end = (record: InputRecord) => (stopped === undefined ? sent(record, send) : Promise.resolve({ record }));

  async function* results(): AsyncGenerator<Row> {
    const concurrency = Number(flags.get('concurrency') ?? DEFAULT_CONCURRENCY);
    const options = { concurrency, isOrdered: !flags.has('unordered') };
    try {
      for await (const ended of inWindow<InputRecord, Ended>(toSend(), end, options)) {
        if (ended.outcome) counts[ended.outcome]++;
        if (!ended.outcome || ended.outcome === 'failed') files.failed?.add(ended.record.raw);
        if (ended.outcome === 'unknown') files.unknown?.add(ended.record.raw);
        if (isHopeless(ended.error)) stopped ??= ended.error;
        stopped ??= files.failed?.error ?? files.unknown?.error;
        bar.draw();
        if (ended.row) yield ended.row;
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
    // What nobody reads any more is no reason to stop halfway.
    gone: () => false,
  };
  try {
    await print(results(), shape, { ...invocation, settings: invocation.settings, io: { ...io, stdout } });
  } finally {
    bar.clear();
    files.failed?.close();
    files.unknown?.close();
  }
  await tellDeprecation();
  for (const name of ignored) await tell(invocation, `'${name}' is not part of what is sent and was ignored.`);
  if (counts.existing > 0)
    await tell(
      invocation,
      'An import of the last 24 hours had added those already there. --again adds them once more.',
    );
  const total = summary(counts);
  const error = files.failed?.error ?? files.unknown?.error ?? stopped;
  const isPartial = error === undefined && counts.failed + counts.unknown > 0;
  if (isPartial || (error instanceof UsageError && counts.created + counts.existing > 0))
    throw new PartialError(
      error instanceof UsageError ? `${error.message} ${total}.` : `${total}.`,
      hintFor(invocation, counts),
    );
  if (error === undefined || error instanceof InterruptedError) await tell(invocation, `${total}.`);
  if (error !== undefined) throw error;
}

function hintFor({ flags, node }: Invocation, { failed, unknown }: Counts): string | undefined {
  const isRepeatable = node.operation?.idempotencyKey !== undefined;
  if (failed > 0)
    return flags.has('failed')
      ? `${flags.get('failed')} holds what failed, to import it again.`
      : '--failed FILE keeps what failed, to import it again.';
  if (unknown > 0 && isRepeatable) return 'Run the same import again: it adds nothing twice.';
  if (unknown > 0 && !flags.has('unknown')) return '--unknown FILE keeps what the service may have.';
  return undefined;
}

function openFiles(flags: Invocation['flags'], input: string, records: Records) {
  const open = (flag: string): RecordsFile | undefined => {
    const file = flags.get(flag);
    return typeof file === 'string' ? openRecordsFile(flag, file, input, records) : undefined;
  };
  return { failed: open('failed'), unknown: open('unknown') };
}

async function sent(record: InputRecord, send: Sender['send']): Promise<Ended> {
  const { line } = record;
  try {
    const input = record.read();
    const { data, isReplayed } = send ? await send(input) : { data: input, isReplayed: false };
    const outcome = isReplayed ? 'existing' : send ? 'created' : 'valid';
    return { record, outcome, row: { line, outcome, ...Object(data) } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const outcome = mayBeDone(error) ? 'unknown' : 'failed';
    return { record, outcome, error, row: { line, outcome, error: error.message } };
  }
}

/** Whether the service may have done it all the same. */
function mayBeDone(error: Error): boolean {
  if (error instanceof PetstoreError && error.code === 'request_in_flight') return true;
  if (error instanceof UsageError || wasNotDone(error)) return false;
  // A success that cannot be read is one all the same.
  return !(error instanceof PetstoreError) || error.status >= 500 || error.status < 300;
}

/** Whether it is certain that nothing was done, so that even a create may be repeated. */
function wasNotDone(error: Error): boolean {
  return mayRetry('POST', error);
}

/** Whether every other record would end the same way. */
function isHopeless(error: unknown): boolean {
  if (error instanceof PetstoreError) return endingOf(error.status) === 'unauthorized';
  return error instanceof ConnectionError && wasNotDone(error);
}

function formatOf(given: unknown): FileFormat | undefined {
  return given === 'jsonl' || given === 'json' || given === 'csv' ? given : undefined;
}

/** How a record is sent; not at all where it is only to be checked. */
interface Sender {
  readonly send?: (input: Record<string, unknown>) => Promise<{ readonly data: unknown; readonly isReplayed: boolean }>;
  readonly tellDeprecation: () => Promise<void>;
}

/** Sends nothing. */
const checkOnly: Sender = { tellDeprecation: async () => {} };

/** Sends records to the service that is set, with its key. */
async function sender(operation: Operation, invocation: Invocation): Promise<Sender> {
  const { options, tellDeprecation } = await serviceFor(invocation, await credentialsFor(invocation, operation));
  const call = createCall(petstore(options), operation);
  const keyOf = recordKeys(operation, invocation.flags.has('again'));
  const send = async (input: Record<string, unknown>) => {
    const running = call(input, { idempotencyKey: keyOf(input), signal: invocation.io.interrupted });
    const { data, response } = await running.withResponse();
    return { data, isReplayed: response.headers.get('idempotency-replayed') === 'true' };
  };
  return { send, tellDeprecation };
}
