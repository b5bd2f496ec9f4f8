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
import type { InputLine } from './csv.ts';
import { openFailedFile, openSource } from './files.ts';
import { type Counts, progressBar } from './progress.ts';
import { type FileFormat, readLines } from './records.ts';

const usualConcurrency = 8;

/** How one line ended. */
interface Ended {
  readonly input: InputLine;
  readonly row: Row;
  readonly error?: unknown;
}

/** Runs an operation for each line of a file, a bounded number at a time, and writes one line for each, in their order. */
export async function runImport(invocation: Invocation): Promise<void> {
  const { node, args, flags, io } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const file = String(args[0]);
  const members = propertiesIn(operation).names;
  const shape = { list: true, columns: chosen(flags.get('fields'), ['line', 'outcome', ...members, 'error']) };
  const { perform, tellDeprecation } = flags.has('dry-run') ? checkOnly : await performer(operation, invocation);
  const source = openSource(file, io);
  const lines = await readLines(source.chunks, formatOf(flags.get('format')), operation);
  const failedName = flags.get('failed');
  const failedFile = openFailedFile(typeof failedName === 'string' ? failedName : undefined, file, lines);
  const counts: Counts = { done: 0, failed: 0 };
  const bar = progressBar(io.stderr, flags.has('quiet'), source.progress, counts);

  let stopped: unknown;
  io.onInterrupt(() => {
    stopped ??= new InterruptedError();
    bar.clear();
    void tell(invocation, 'Waiting for what is under way; Ctrl-C again does not wait.');
  });
  io.interrupted.addEventListener('abort', source.close);

  async function* results(): AsyncGenerator<Row> {
    const running: Promise<Ended>[] = [];
    const next = async (): Promise<Row[]> => {
      const ended = await running.shift();
      if (!ended) return [];
      counts.done++;
      if (ended.error !== undefined) {
        counts.failed++;
        failedFile.add(ended.input.raw);
        if (isHopeless(ended.error)) stopped ??= ended.error;
        stopped ??= failedFile.error;
      }
      bar.draw();
      return [ended.row];
    };
    const most = Number(flags.get('concurrency') ?? usualConcurrency);
    try {
      for await (const input of lines.lines) {
        // Nothing more is begun, but what is left is to be given again.
        while (stopped !== undefined && running.length > 0) yield* await next();
        if (stopped !== undefined && failedName === undefined) break;
        if (stopped !== undefined) failedFile.add(input.raw);
        else running.push(ended(input, perform));
        if (running.length >= most) yield* await next();
      }
    } catch (error) {
      // What is under way is still waited for.
      stopped ??= error;
    }
    while (running.length > 0) yield* await next();
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
    failedFile.close();
  }
  await tellDeprecation();
  if (failedFile.error) throw failedFile.error;
  if (stopped !== undefined) throw stopped;
  if (counts.failed === 0) return;
  const again =
    failedName === undefined
      ? '--failed FILE keeps them, to give them again.'
      : `${failedName} holds them, to give them again.`;
  throw new PartialError(`${counts.failed} of ${counts.done} failed.`, again);
}

async function ended(input: InputLine, perform: Performer['perform']): Promise<Ended> {
  const { line } = input;
  try {
    const read = input.read();
    const result = perform ? await perform(read) : read;
    return { input, row: { line, outcome: perform ? 'ok' : 'valid', ...Object(result) } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const outcome = mayBeDone(error) ? 'unknown' : 'failed';
    return { input, error, row: { line, outcome, error: error.message } };
  }
}

/** Whether the service may have done it all the same: whoever gives such a line again should look first. */
function mayBeDone(error: Error): boolean {
  if (error instanceof UsageError || wasNotDone(error)) return false;
  return !(error instanceof PetstoreError) || error.status >= 500;
}

/** Whether it is certain that nothing was done, so that even a create may be repeated. */
function wasNotDone(error: Error): boolean {
  return mayRetry('POST', error);
}

/** Whether every other line would end the same way. */
function isHopeless(error: unknown): boolean {
  if (error instanceof PetstoreError) return endingOf(error.status) === 'unauthorized';
  return error instanceof ConnectionError && wasNotDone(error);
}

function formatOf(given: unknown): FileFormat | undefined {
  return given === 'jsonl' || given === 'json' || given === 'csv' ? given : undefined;
}

/** How a line is sent; not at all where it is only to be checked. */
export interface Performer {
  readonly perform?: (input: Record<string, unknown>) => Promise<unknown>;
  readonly tellDeprecation: () => Promise<void>;
}

/** Sends nothing. */
export const checkOnly: Performer = { tellDeprecation: async () => {} };

/** Sends lines to the service that is set, with its key. */
export async function performer(operation: Operation, invocation: Invocation): Promise<Performer> {
  const { options, tellDeprecation } = await serviceFor(invocation, await credentialsFor(invocation, operation));
  const call = createCall(petstore(options), operation);
  return { perform: (input) => call(input, { signal: invocation.io.interrupted }), tellDeprecation };
}
