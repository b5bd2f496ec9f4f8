import { type CallOptions, type Exchange, nextPage, type Petstore, petstore } from '@petstore/client';
import type { Operation, OperationId, OperationResponse } from '@petstore/types';
import { UsageError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/output-options.ts';
import { print } from '../out/print.ts';
import { checkFields, shapeOf } from '../out/shape.ts';
import { mayAnswerBytes } from '../tree/arguments.ts';
import { dryRunOnly } from './dry-run-only.ts';
import { inputOf } from './input.ts';
import { credentialsFor, serviceFor } from './service.ts';

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
  checkFields(operation, flags.get('fields'));
  const input = await inputOf(operation, invocation);
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('../out/jq.ts')).checkFilter(filter);
  if (dryRunOnly(invocation)) {
    const { preview } = await import('./preview.ts');
    return preview(invocation, operation, (options) => createCall(petstore(options), operation)(input));
  }

  if (mayAnswerBytes(operation) && io.stdout.isTerminal && !flags.has('output-file'))
    throw new UsageError('A terminal cannot show the bytes of the response.', 'Give -o FILE, or pipe them on.');
  const { options, tellDeprecation } = await serviceFor(invocation, await credentialsFor(invocation, operation));
  const call = createCall(petstore(options), operation);
  try {
    const running = call(input, { signal: io.interrupted });
    if (flags.has('all')) {
      const [first] = operation.successes;
      const success = operation.responses[first ?? ''];
      await print(elements(running), shapeOf(operation, success, flags.get('fields')), invocation);
    } else {
      const { data: result, response } = await running.withResponse();
      const body = operation.successes.length > 1 ? (result as { data: unknown }).data : result;
      const success = successOf(operation, response.status);
      const data = itemsOf(operation, body);
      if (body instanceof ReadableStream || success?.kind === 'text')
        await (await import('../out/write-body.ts')).writeBody(body, invocation);
      else if (body !== undefined)
        await print(rowsOf(data), shapeOf(operation, success, flags.get('fields'), data), invocation);
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

/** What the spec says of a success with this status. */
function successOf({ responses, successes }: Operation, status: number): OperationResponse | undefined {
  const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((one) => successes.includes(one));
  return responses[key ?? successes[0] ?? ''];
}

/** The elements of a page, where the body holds them in a property. */
function itemsOf({ pagination }: Operation, body: unknown): unknown {
  return pagination?.items === undefined ? body : (Object(body)[pagination.items] ?? []);
}

/** The data as rows: the elements of a list, else one. */
export function rowsOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : data === undefined ? [] : [data];
}

/** The elements of all pages, as they come. */
async function* elements(running: AnyCall): AsyncGenerator<unknown> {
  if (isPaged(running)) yield* running;
}

function isPaged(running: AnyCall): running is AnyCall & AsyncIterable<object> {
  return running[Symbol.asyncIterator] !== undefined;
}
