import { nextPage, petstore } from '@petstore/client';
import type { Operation, OperationResponse } from '@petstore/types';
import { type AnyCall, createCall, credentialsFor, serviceFor } from '../call/service.ts';
import { UsageError } from '../io/errors.ts';
import { inJson, noticeLine } from '../output/options.ts';
import { print } from '../output/print.ts';
import { checkFields, rowsOf, shapeOf } from '../output/shape.ts';
import { dryRunOnly } from '../parse/flags.ts';
import type { Invocation } from '../parse/node.ts';
import { mayAnswerBytes, operationFlags } from './field-flags.ts';
import { inputOf } from './input.ts';

/** Runs the command of an operation. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const { node, flags, io, settings } = invocation;
  const { operation } = node;
  if (!operation) throw new Error(`${node.name} has no operation`);
  checkFields(operation, flags.get('fields'));
  const input = await inputOf(operation, invocation);
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('../output/jq.ts')).checkFilter(filter);
  if (dryRunOnly(invocation)) {
    const { preview } = await import('../call/preview.ts');
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
        await (await import('../output/write-body.ts')).writeBody(body, invocation);
      else if (body !== undefined)
        await print(rowsOf(data), shapeOf(operation, success, flags.get('fields'), data), invocation);
      if (operation.pagination && !flags.has('quiet') && nextPage(response) !== undefined) {
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

/** The elements of all pages, as they come. */
async function* elements(running: AnyCall): AsyncGenerator<unknown> {
  if (isPaged(running)) yield* running;
}

function isPaged(running: AnyCall): running is AnyCall & AsyncIterable<object> {
  return running[Symbol.asyncIterator] !== undefined;
}

/**
 * Says on stderr that a list goes on behind its limit. That a page is full does not mean that there is another, so one
 * element is asked for; if that fails, the list itself was still shown.
 */
async function tellIfTruncated(
  operation: Operation,
  data: unknown,
  { settings, io }: Invocation,
  ask: (page: Record<string, unknown>) => Promise<unknown>,
): Promise<void> {
  const { fields, pagination } = operation;
  const { cursor, key, limit } = pagination ?? {};
  if (cursor === undefined || key === undefined || limit === undefined || io.stdout.gone()) return;
  const shown = rowsOf(data);
  const after = Object(shown.at(-1))[key];
  const one = fields[limit]?.schema.minimum ?? 1;
  const more = await ask({ [cursor]: after, [limit]: one }).catch(() => []);
  if (rowsOf(more).length === 0) return;
  const flag = operationFlags(operation).find(({ field }) => field === cursor)?.name ?? cursor;
  const message = `Only ${shown.length} are shown, and there are more: --all shows all, --${flag} ${after} what follows.`;
  await io.stderr.write(noticeLine(message, inJson(settings)));
}
