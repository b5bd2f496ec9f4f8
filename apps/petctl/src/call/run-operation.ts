import { type CallOptions, type Exchange, nextPage, type Petstore, petstore } from '@petstore/client';
import type { Operation, OperationId } from '@petstore/types';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/asked.ts';
import type { Row } from '../out/format.ts';
import { harmlessLines } from '../out/harmless.ts';
import { print } from '../out/print.ts';
import { shapeOf } from '../out/shape.ts';
import { inputOf } from './input.ts';
import { onlyShown } from './only-shown.ts';
import { serviceFor } from './service.ts';

/** A call under way of which nobody knows the operation. */
interface AnyCall extends Promise<unknown>, Partial<AsyncIterable<object>> {
  withResponse(): Promise<Exchange<unknown>>;
}

/** The client's function for an operation. */
export function callOf(store: Petstore, { id }: Operation): (input?: object, options?: CallOptions) => AnyCall {
  return store[id as OperationId] as (input?: object, options?: CallOptions) => AnyCall;
}

/** Runs the command of an operation. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const { node, flags, around, settings } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  const shape = shapeOf(operation, flags.get('fields'));
  const input = await inputOf(operation, invocation);
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('../out/jq.ts')).checkFilter(filter);
  if (onlyShown(invocation)) {
    const { preview } = await import('./preview.ts');
    return preview(invocation, (options) => callOf(petstore(options), operation)(input));
  }

  const { options, tellDeprecation } = await serviceFor(invocation, { needsKey: operation.security.length > 0 });
  const call = callOf(petstore(options), operation);
  try {
    const running = call(input, { signal: around.interrupted });
    if (flags.has('all')) {
      await print(elements(running), shape, invocation);
    } else {
      const { data: result, response } = await running.withResponse();
      const data = operation.successes.length > 1 ? (result as { data: unknown }).data : result;
      if (typeof data === 'string' || data instanceof ReadableStream) await write(data, invocation);
      else await print(rowsOf(data), shape, invocation);
      if (operation.pagination && !flags.has('quiet') && nextPage(response) !== undefined) {
        const { tellIfCut } = await import('./cut.ts');
        await tellIfCut(operation, data, invocation, (page) => call({ ...input, ...page }));
      }
    }
  } catch (error) {
    if (!inJson(settings)) await tellDeprecation();
    throw error;
  }
  await tellDeprecation();
}

/** Text and bytes are written as they came; on a terminal, text must not steer it. */
async function write(data: string | ReadableStream<Uint8Array>, { around: { stdout } }: Invocation): Promise<void> {
  if (typeof data === 'string') return stdout.write(stdout.isTerminal ? harmlessLines(data) : data);
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
