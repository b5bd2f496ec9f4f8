import type { ErrorRequestHandler } from 'express';
import { codeOf, Failure } from './failure.ts';

/** Answers whatever was thrown in the shape of an Error. What is not meant for the caller stays inside. */
export const answerFailure: ErrorRequestHandler = (error, _request, response, _next) => {
  const failure = asFailure(error);
  if (failure.code === 'internal_error') console.error(error);
  response.status(failure.status).set(failure.headers).json(failure.body());
};

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { status, message, headers } = error as { status?: number; message?: string; headers?: Record<string, string> };
  if (status === undefined || status < 400 || status >= 500) {
    return new Failure('internal_error', 'Something went wrong on our side.', { cause: error });
  }
  return new Failure(codeOf(status), message ?? 'The request is not valid.', { status, ...(headers && { headers }) });
}
