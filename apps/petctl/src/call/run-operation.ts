import { type CallOptions, type Exchange, nextPage, type Petstore, petstore } from '@petstore/client';
import type { Operation, OperationId } from '@petstore/types';
import type { Invocation } from '../invocation.ts';
import { escapeControlsInLines } from '../out/escape-controls.ts';
import type { Row } from '../out/format.ts';
import { inJson } from '../out/output-options.ts';
import { print } from '../out/print.ts';
import { shapeOf } from '../out/shape.ts';
import { dryRunOnly } from './dry-run-only.ts';
import { inputOf } from './input.ts';
import { serviceFor } from './service.ts';

/** A call under way of which nobody knows the operation. */
interface AnyCall extends Promise<unknown>, Partial<AsyncIterable<object>> {
  withResponse(): Promise<Exchange<unknown>>;
}

/** The client's function for an operation. */
export function createCall(store: Petstore, { id }: Operation): (input?: object, options?: CallOptions) => AnyCall {
  return store[id as OperationId] as (input?: object, options?: CallOptions) => AnyCall;
}

/** Runs the command of an operation. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const { node, flags, io, settings } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const shape = shapeOf(operation, flags.get('fields'));
  const input = await inputOf(operation, invocation);
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('../out/jq.ts')).checkFilter(filter);
  if (dryRunOnly(invocation)) {
    const { preview } = await import('./preview.ts');
    return preview(invocation, (options) => createCall(petstore(options), operation)(input));
  }

  const { options, tellDeprecation } = await serviceFor(invocation, { needsKey: operation.security.length > 0 });
  const call = createCall(petstore(options), operation);
  try {
    const running = call(input, { signal: io.interrupted });
    if (flags.has('all')) {
      await print(elements(running), shape, invocation);
    } else {
      const { data: result, response } = await running.withResponse();
      const data = operation.successes.length > 1 ? (result as { data: unknown }).data : result;
      if (typeof data === 'string' || data instanceof ReadableStream) await write(data, invocation);
      else await print(rowsOf(data), shape, invocation);
      if (operation.pagination && !flags.has('quiet') && nextPage(response) !== undefined) {
        const { tellIfTruncated } = await import('./truncation-notice.ts');
        await tellIfTruncated(operation, data, invocation, (page) => call({ ...input, ...page }));
      }
    }
  } catch (error) {
    if (!inJson(settings)) await tellDeprecation();
    throw error;
  }
  await tellDeprecation();
}

/** Text and bytes are written as they came; on a terminal, text must not steer it. */
async function write(data: string | ReadableStream<Uint8Array>, { io: { stdout } }: Invocation): Promise<void> {
  if (typeof data === 'string') return stdout.write(stdout.isTerminal ? escapeControlsInLines(data) : data);
  for await (const bytes of data) await stdout.write(bytes);
}

/** What was answered as rows: the elements of a list, one object, or nothing. */
export function rowsOf(data: unknown): Row[] {
  const rows: readonly unknown[] = Array.isArray(data) ? data : data === undefined ? [] : [data];
  return rows.map((row) => (typeof row === 'object' && row !== null ? { ...row } : { value: row }));
}

/** The elements of all pages, as they come. */
async function* elements(running: AnyCall): AsyncGenerator<Row> {
  if (!isPaged(running)) return;
  for await (const element of running) yield { ...element };
}

function isPaged(running: AnyCall): running is AnyCall & AsyncIterable<object> {
  return running[Symbol.asyncIterator] !== undefined;
}
