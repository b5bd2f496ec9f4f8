import { createHash, randomUUID } from 'node:crypto';
import { ConnectionError, mayRetry, PetstoreError, TimeoutError } from '@petstore/client';
import { clientFunction, clientOptionsFor, credentialsFor } from '../../call/client.ts';
import { UsageError, unsendableInputErrors } from '../../io/errors.ts';
import type { Operation } from '../../old.ts';
import { asRow, type Row } from '../../output/format.ts';
import { isUnauthorized } from '../../output/report.ts';
import type { Input, Invocation } from '../../parse/command.ts';
import type { InputRecord } from './records.ts';

/**
 * The outcome of a record. `created`: the service added the record. `existing`: an earlier request added it. `valid`: a dry run
 * accepted it. `failed`: the service did not add it. `unknown`: the service may have added it.
 */
export type Outcome = 'created' | 'existing' | 'valid' | 'failed' | 'unknown';

/** The result of a record. If the import stops before the record is handled, the result has no outcome. */
export interface RecordResult {
  readonly record: InputRecord;
  readonly outcome?: Outcome;
  readonly row?: Row;
  readonly error?: unknown;
}

/** Sends records to the service, or in a dry run nowhere. */
export interface Sender {
  readonly send: (input: Input) => Promise<{ readonly data: unknown; readonly outcome: Outcome }>;
  readonly writeDeprecation?: () => Promise<void>;
}

export const dryRunSender: Sender = { send: async (input) => ({ data: input, outcome: 'valid' }) };

/** A sender of records to the configured service, with the configured credentials. */
export async function serviceSender(operation: Operation, invocation: Invocation): Promise<Sender> {
  const { options, writeDeprecation } = await clientOptionsFor(invocation, await credentialsFor(invocation, operation));
  const idempotencyKeyOf = idempotencyKeys(operation, invocation.flags.has('again'));
  const send: Sender['send'] = async (input) => {
    let isUncertain = false;
    const retry = (reason: Error, attempt: number, milliseconds: number) => {
      isUncertain ||= mayHaveExecuted(reason);
      options.on?.retry?.(reason, attempt, milliseconds);
    };
    const call = clientFunction({ ...options, on: { ...options.on, retry } }, operation);
    const callOptions = { idempotencyKey: idempotencyKeyOf(input), signal: invocation.io.interrupted };
    const { data, response } = await call(input, callOptions)
      .withResponse()
      .catch((error: Error) => {
        if (isUncertain) uncertainErrors.add(error);
        throw error;
      });
    return { data, outcome: response.headers.get('idempotency-replayed') === 'true' ? 'existing' : 'created' };
  };
  return { send, writeDeprecation };
}

/** The errors of calls with an earlier attempt that the service may have executed. */
const uncertainErrors = new WeakSet<Error>();

/** Validates and sends a record. An error becomes the record's outcome. */
export async function sendRecord(record: InputRecord, { send }: Sender): Promise<RecordResult> {
  try {
    const { data, outcome } = await send(record.read());
    const columns = Object.entries(asRow(data)).map(([name, value]) => [columnOf(name), value] as const);
    return { record, outcome, row: { line: record.line, outcome, ...Object.fromEntries(columns) } };
  } catch (thrown) {
    const error = thrown as Error;
    const outcome = mayHaveExecuted(error) ? 'unknown' : 'failed';
    return { record, outcome, error, row: { line: record.line, outcome, error: error.message } };
  }
}

/** The column of a property of the service: with a prefix, if petctl itself has a column with this name. */
export function columnOf(property: string): string {
  return /^(line|outcome|error)$/.test(property) ? `service_${property}` : property;
}

/** Whether all remaining records would fail with this error, too. */
export function failsEveryRecord(error: unknown): boolean {
  if (error instanceof TimeoutError) return false;
  return isUnauthorized(error) || (error instanceof ConnectionError && mayRetry('POST', error));
}

/** Whether the service may have executed the call in spite of the error. */
function mayHaveExecuted(error: Error): boolean {
  if (error instanceof PetstoreError && error.code === 'request_in_flight') return true;
  // Checked before `mayRetry`, which would judge a timeout by its cause: the error of an earlier attempt.
  if (error instanceof TimeoutError || uncertainErrors.has(error)) return true;
  // If even a POST may be retried, the service certainly did not execute it.
  if (error instanceof UsageError || unsendableInputErrors.has(error) || mayRetry('POST', error)) return false;
  // A status below 300 means that the call succeeded and only the response is invalid.
  return !(error instanceof PetstoreError) || error.status >= 500 || error.status < 300;
}

/**
 * Derives the idempotency key of each record from its content and its position among equal records, so a second import
 * creates only the records that are new in the input. With `createsAgain` all idempotency keys are new.
 */
function idempotencyKeys({ id }: Operation, createsAgain: boolean): (input: Input) => string {
  const run = createsAgain ? randomUUID() : '';
  /** The number of earlier records with the same content, by its digest. */
  const counts = new Map<string, number>();
  return (input) => {
    const content = digest([id, run, canonical(input)]);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return digest([content, String(count)]);
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url');
}

/** The same text for equal values, regardless of the order of their properties. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  // `JSON.stringify` rejects bigints.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}

/**
 * Starts work for each item as it arrives, and yields each result when its work ends, or in the order of the items if
 * `isOrdered`. `work` must not reject. If the items reject, this function yields the results of started work, and then throws.
 */
export async function* mapConcurrently<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { concurrency, isOrdered }: { readonly concurrency: number; readonly isOrdered: boolean },
): AsyncGenerator<Result> {
  const source = items[Symbol.asyncIterator]();
  interface Finished {
    readonly work: Promise<Finished>;
    readonly result: Result;
  }
  /** Started work, oldest first. */
  const running = new Set<Promise<Finished>>();
  const read = () => source.next().catch((failure: unknown) => ({ failure }));
  let [reading, isOpen] = [read(), true];
  while (isOpen || running.size > 0) {
    const mayStart = isOpen && running.size < concurrency;
    const awaited = [...running].slice(0, isOrdered ? 1 : undefined);
    const step = await Promise.race([...(mayStart ? [reading] : []), ...awaited]);
    if ('result' in step) {
      running.delete(step.work);
      yield step.result;
    } else if ('failure' in step || step.done) {
      isOpen = false;
    } else {
      const started: Promise<Finished> = work(step.value).then((result) => ({ work: started, result }));
      running.add(started);
      reading = read();
    }
  }
  const last = await reading;
  if ('failure' in last) throw last.failure;
}
