import { attemptOnce } from './attempt.ts';
import type { Success } from './call.ts';
import { Deadline } from './deadline.ts';
import { PetstoreError } from './errors.ts';
import { notify, reportDeprecated } from './hooks.ts';
import type { CallOptions } from './options.ts';
import type { FurtherPage } from './pages.ts';
import { type Input, type Operation, type PreparedRequest, requestOf } from './request.ts';
import { retryDelay } from './retry.ts';
import { callSettings } from './settings.ts';

/** Calls an operation with all its attempts. */
export async function execute(
  client: Operation,
  input: Input,
  options: CallOptions,
  page?: FurtherPage,
): Promise<Success<unknown>> {
  const operation = { ...client, settings: callSettings(client.settings, options) };
  const prepared = requestOf(operation, input, options);
  const request = { ...prepared, url: page?.url ?? prepared.url };
  reportDeprecated(operation);
  const { timeout } = operation.settings;
  const deadline = new Deadline(operation.id, timeout, [options.signal, page?.stop]);
  try {
    return await runAttempts(operation, request, deadline);
  } finally {
    deadline.release();
  }
}

/** Sends a request until the service responds with success, or another attempt would not help. */
async function runAttempts(
  operation: Operation,
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
