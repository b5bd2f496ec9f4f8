import { attemptOnce, type Progress } from './attempt.ts';
import type { Success } from './call.ts';
import { Deadline } from './deadline.ts';
import { type CallError, PetstoreError } from './errors.ts';
import { notify, reportDeprecated } from './hooks.ts';
import type { CallOptions } from './options.ts';
import { type Operation, type PreparedRequest, requestOf } from './request.ts';
import { retryDelay } from './retry.ts';
import { callSettings } from './settings.ts';

/**
 * Calls an operation with all its attempts. `url` is the address of a further page, instead of that
 * of the input.
 */
export async function execute(
  client: Operation,
  input: object,
  options: CallOptions,
  url?: string,
): Promise<Success<unknown>> {
  const operation = { ...client, settings: callSettings(client.settings, options) };
  const prepared = requestOf(operation, input, options);
  const request = url === undefined ? prepared : { ...prepared, url };
  reportDeprecated(operation);
  const progress: Progress = { attempts: 0 };
  const deadline = new Deadline(operation.id, operation.settings.timeout, options.signal);
  try {
    return await runAttempts(operation, request, deadline, progress);
  } catch (error) {
    if (error instanceof PetstoreError) error.attempts = progress.attempts;
    throw error;
  } finally {
    deadline.release();
  }
}

/** Sends a request until the service responds with success, or another attempt would not help. */
async function runAttempts(
  operation: Operation,
  request: PreparedRequest,
  deadline: Deadline,
  progress: Progress,
): Promise<Success<unknown>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deadline.race(attemptOnce(operation, request, deadline.signal, progress));
    } catch (thrown) {
      const delay = retryDelay(operation, thrown, attempt);
      if (delay === undefined || !deadline.allows(delay)) throw thrown;
      const error = thrown as CallError;
      error.attempts = progress.attempts;
      notify(operation.settings.on.retry, () => ({
        operation: operation.id,
        attempt,
        error,
        delay,
      }));
      await deadline.wait(delay);
    }
  }
}
