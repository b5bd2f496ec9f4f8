import type { ServerResponse } from 'node:http';
import { error as validation } from 'express-openapi-validator';
import type { Logger } from 'pino';
import { StoreUnavailableError, StoreUncertainError } from '../store/errors.ts';
import type { Exchange } from './exchange.ts';
import { Failure, failureOf } from './failure.ts';
import { jsonOf, type WriteAnswer } from './write-answer.ts';

export type AnswerFailure = (error: unknown, response: ServerResponse, exchange: Exchange) => void;

/** Answers whatever was thrown in the shape of an Error. What is not meant for the caller goes to the log alone. */
export function failureAnswerer(log: Logger, write: WriteAnswer): AnswerFailure {
  return (error, response, exchange) => {
    const failure = asFailure(error, exchange.path);
    // A failure of our own making says all there is to say.
    if (failure.status >= 500 && failure !== error) log.error({ requestId: exchange.requestId, err: error });
    if (response.headersSent) return void response.destroy();
    write(response, exchange, failure.status, Object.entries(failure.headers).flat(), jsonOf(failure.body()));
  };
}

function asFailure(error: unknown, path: string): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof validation.NotFound) return new Failure('not_found', `There is nothing at ${path}.`);
  if (error instanceof validation.BadRequest) return invalid(error);
  if (error instanceof StoreUncertainError) {
    // Not `unavailable`, which promises that nothing was done: who adds the animal again may have two.
    const message = 'Whether this was done is not known. Look before you do it again.';
    return new Failure('internal_error', message, { status: 503, headers: { 'Retry-After': '1' }, cause: error });
  }
  if (error instanceof StoreUnavailableError) {
    const headers = { 'Retry-After': '1' };
    return new Failure('unavailable', 'The store cannot do this now. Try again later.', {
      headers,
      cause: error,
    });
  }
  // What Express and its body reader throw carries the status, and says whether its message is for the caller.
  const { status = 500, expose = false, message } = error as { status?: number; expose?: boolean; message: string };
  if (status >= 400 && status < 500 && expose) return failureOf(status, message, error);
  return new Failure('internal_error', 'Something went wrong on our side.', { cause: error });
}

const inWords: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such member',
  required: 'it is missing',
};

/** How many faults a message names. */
const most = 10;

/** What the validator found, in words: each fault with its place and its name. */
function invalid(error: InstanceType<typeof validation.BadRequest>): Failure {
  const faults = error.errors.map(({ path, message, errorCode = '' }) => {
    const [, place = '', ...names] = path.split('/');
    const where = names.length > 0 ? `${place} '${names.join('.')}'` : place;
    return { place, text: `${where}: ${inWords[errorCode.split('.')[0] ?? ''] ?? message}` };
  });
  const texts = [...new Set(faults.map(({ text }) => text))];
  const more = texts.length > most ? [`and ${texts.length - most} more`] : [];
  const message = [...texts.slice(0, most), ...more].join('; ') || error.message;
  // A path field that breaks its rules names something that cannot exist.
  const code = faults.some(({ place }) => place === 'params') ? 'not_found' : 'invalid_request';
  return new Failure(code, message, { cause: error });
}
