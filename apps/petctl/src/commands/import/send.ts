import { createHash, randomUUID } from 'node:crypto';
import { ConnectionError, mayRetry, PetstoreError, petstore } from '@petstore/client';
import type { Operation } from '@petstore/types';
import { createCall, credentialsFor, serviceFor } from '../../call/service.ts';
import { UsageError } from '../../io/errors.ts';
import { jsonText } from '../../io/text.ts';
import { errorKindOf } from '../../output/exit-codes.ts';
import type { Row } from '../../output/format.ts';
import type { Invocation } from '../../parse/command.ts';
import type { Counts } from './progress.ts';
import type { InputRecord } from './records.ts';

/** The result of one record. Without an outcome it was not sent. */
export interface RecordResult {
  readonly record: InputRecord;
  readonly outcome?: keyof Counts;
  readonly row?: Row;
  readonly error?: unknown;
}

/** Sends records. A dry run has no `send`. */
export interface Sender {
  readonly send?: (input: Record<string, unknown>) => Promise<{ readonly data: unknown; readonly isReplayed: boolean }>;
  readonly writeDeprecations: () => Promise<void>;
}

export const dryRunSender: Sender = { writeDeprecations: async () => {} };

/** A sender to the configured service, with its credentials. */
export async function serviceSender(operation: Operation, invocation: Invocation): Promise<Sender> {
  const { options, writeDeprecations } = await serviceFor(invocation, await credentialsFor(invocation, operation));
  const call = createCall(petstore(options), operation);
  const keyOf = recordKeys(operation, invocation.flags.has('again'));
  const send = async (input: Record<string, unknown>) => {
    const running = call(input, { idempotencyKey: keyOf(input), signal: invocation.io.interrupted });
    const { data, response } = await running.withResponse();
    return { data, isReplayed: response.headers.get('idempotency-replayed') === 'true' };
  };
  return { send, writeDeprecations };
}

/** Validates one record and sends it. */
export async function sendRecord(record: InputRecord, { send }: Sender): Promise<RecordResult> {
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

/** Whether every other record would fail with this error, too. */
export function failsEveryRecord(error: unknown): boolean {
  if (error instanceof PetstoreError) return errorKindOf(error.status) === 'unauthorized';
  return error instanceof ConnectionError && wasNotDone(error);
}

/** Whether the service may have executed the request in spite of the error. */
function mayBeDone(error: Error): boolean {
  if (error instanceof PetstoreError && error.code === 'request_in_flight') return true;
  if (error instanceof UsageError || wasNotDone(error)) return false;
  // A success with an unreadable body is a success.
  return !(error instanceof PetstoreError) || error.status >= 500 || error.status < 300;
}

/** Whether the service certainly executed nothing, so that even a create may be retried. */
function wasNotDone(error: Error): boolean {
  return mayRetry('POST', error);
}

/**
 * Derives the idempotency key of each record from its content and its position among equal records. So importing a file
 * again, also with more records, repeats nothing. With `isAgain` all keys are new.
 */
function recordKeys({ id }: Operation, isAgain: boolean): (input: Record<string, unknown>) => string {
  const run = isAgain ? randomUUID() : '';
  /** The number of records with the same content, by digest. */
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

/** The same text for equal values, in whichever order their properties are. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return jsonText(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}
