import { attemptOnce } from './attempt.ts';
import type { Success } from './call.ts';
import { Deadline } from './deadline.ts';
import { PetstoreError } from './errors.ts';
import { type CallOptions, notify, type Options } from './options.ts';
import type { FurtherPage } from './pages.ts';
import {
  type BoundOperation,
  type InputValues,
  type PreparedRequest,
  preparedRequest,
} from './request.ts';
import { retryDelay } from './retry.ts';
import { changedSettings } from './settings.ts';

/** Calls an operation with all its attempts. A further page of a list has an address of its own. */
export async function execute(
  bound: BoundOperation,
  input: InputValues,
  options: CallOptions,
  page?: FurtherPage,
): Promise<Success<unknown>> {
  const { signal, idempotencyKey, ...clientOptions } = options;
  const operation = withOptions(bound, clientOptions);
  const prepared = preparedRequest(operation, input, idempotencyKey);
  const request = page ? { ...prepared, url: page.url } : prepared;
  reportDeprecated(operation);
  const { timeout } = operation.settings;
  const deadline = new Deadline(operation.id, timeout, [signal, page?.stop]);
  try {
    return await runAttempts(operation, request, deadline);
  } finally {
    deadline.release();
  }
}

/** The operation with options of the client for one call. Most calls have none. */
function withOptions(operation: BoundOperation, options: Options): BoundOperation {
  if (Object.keys(options).length === 0) return operation;
  return { ...operation, settings: changedSettings(operation.settings, options) };
}

/** Reports a call of a deprecated operation, once for each client and operation. */
function reportDeprecated({ id, wire, settings, reported }: BoundOperation): void {
  const { deprecated: hook = warn } = settings.on;
  if (!wire.deprecated || !hook || reported.has(id)) return;
  reported.add(id);
  const { sunset, successor } = wire.deprecated;
  const end = sunset ? ` and will be removed on ${sunset}` : '';
  const use = successor ? `; use ${successor}` : '';
  const message = `${id} is deprecated${end}${use}`;
  notify(hook, { operation: id, message, sunset });
}

function warn({ message }: { message: string }): void {
  console.warn(`@petstore/client: ${message}`);
}

/** Sends a request until the service responds with success, or another attempt would not help. */
async function runAttempts(
  operation: BoundOperation,
  request: PreparedRequest,
  deadline: Deadline,
): Promise<Success<unknown>> {
  const { id, settings } = operation;
  for (let attempt = 1; ; attempt++) {
    try {
      return await deadline.race(attemptOnce(operation, request, deadline));
    } catch (error) {
      if (!(error instanceof PetstoreError)) throw error;
      error.attempts = deadline.attempts;
      const delay = retryDelay(operation, error, attempt);
      if (delay === undefined || !deadline.allows(delay)) throw error;
      notify(settings.on.retry, { operation: id, attempt, error, delay });
      await deadline.wait(delay);
    }
  }
}
