// Accepts, then explains: ajv's validators accept, and what they do not accept is explained.
import type { Request, RequestHandler } from 'express';
import { exchangeOf } from './exchange.ts';
import { explain } from './explainer.ts';
import { accepts, firstViolation } from './validation.ts';
import { violationError } from './violations.ts';

/** Of the violations of a larger body only the first is named: to name each of many takes long. */
const MAX_EXPLAINED = 1000;

/** Lets requests pass that are what the spec describes. */
export const validate: RequestHandler = (request, response, next) => {
  const exchange = exchangeOf(response);
  const { routedOperation: operation, readInput: input, shared } = exchange;
  input.isAccepted ??= accepts(operation, input);
  if (input.isAccepted) {
    if (!shared.validateResponses) return next();
    return explain(exchange, next);
  }
  const first = firstViolation(operation, input);
  const error = violationError(first ? [first] : [], input.body);
  if (isLarge(request)) throw error;
  // If the middleware finds nothing, or could not be loaded, the violation that ajv has found remains.
  return explain(exchange, (found) => next(found ?? error)).catch(() => next(error));
};

function isLarge({ headers }: Request): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length'] ?? 0) > MAX_EXPLAINED;
}
