import type { IncomingMessage, RequestListener } from 'node:http';
import { type Operation, operations } from '@petstore/types';
import type { Parts } from '../app.ts';
import { callerOf } from './authenticate.ts';
import { hasBody, isJson, wasReceived } from './body.ts';
import { parseExactly } from './exact-json.ts';
import { exchangeFor } from './exchange.ts';
import { Failure } from './failure.ts';
import { isPlain, plainQuery } from './plain-query.ts';
import type { Checked } from './validator-internals.ts';

/**
 * Answers plain requests without Express: those whose every part is written in the one obvious way, and which the
 * validator's own checks accept. It refuses nothing. Whatever it does not accept goes the whole way from its start, and
 * is decided there.
 */
export function shortWay(parts: Parts, whole: RequestListener): RequestListener {
  const { keys, bodyLimit, allowance, crossOrigin, observe, perform, fail, validator } = parts;
  const plain = Object.values<Operation>(operations).filter(isPlain);
  const checks = new Map(plain.map((operation) => [operation, validator.checkOf(operation)]));

  return (request, response) => {
    const started = performance.now();
    const exchange = exchangeFor(request);
    const { operation } = exchange;
    const check = operation && checks.get(operation);
    const query = check && plainQuery(operation, request.url, exchange);
    if (!query || request.method !== operation.method) return whole(request, response);
    exchange.keyName = callerOf(request, keys);
    if (exchange.keyName === undefined) return whole(request, response);
    const end = () => observe(response, operation.method, started, exchange);

    const accept = (body?: unknown): boolean => {
      const checked: Checked = { query, params: { ...exchange.pathFields }, headers: request.headers, body };
      if (!check(checked) || (allowance && allowance.take(exchange.keyName ?? '') > 0)) return false;
      crossOrigin?.(request, response, () => {});
      try {
        const input = { ...checked.params, ...checked.query, ...(body as object) };
        perform(request, response, exchange, operation, input)?.catch((error) => fail(error, response, exchange));
      } catch (error) {
        fail(error, response, exchange);
      }
      return true;
    };

    if (operation.body === undefined) {
      if (hasBody(request) || !accept()) whole(request, response);
      else response.on('close', end);
    } else if (isPlainBody(request, operation.body.mediaType, bodyLimit)) {
      // From now on, because the client may go away before its body has come.
      response.on('close', end);
      receive(request, (bytes) => {
        const body = parsed(bytes);
        if (body !== undefined && accept(body)) return;
        response.off('close', end);
        wasReceived(request, bytes);
        whole(request, response);
      });
    } else {
      whole(request, response);
    }
  };
}

function isPlainBody({ headers }: IncomingMessage, mediaType: string, limit: number): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= limit &&
    isJson(headers['content-type'], mediaType) &&
    headers['content-encoding'] === undefined &&
    headers.expect === undefined
  );
}

/** What a body says, nothing where it cannot be read. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return parseExactly(bytes);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function receive(request: IncomingMessage, done: (bytes: Uint8Array) => void): void {
  const chunks: Uint8Array[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}
