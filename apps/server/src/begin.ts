// The first step: gives a request its identifier, and refuses what HTTP does not allow (RFC 9112), where Node is lenient.
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { type HttpError, malformed } from './errors.ts';
import { beginExchange, type Shared } from './exchange.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Begins the exchange of a request. The metrics and the log get it when the response has ended. */
export function begin(shared: Shared, metrics: Metrics, log: Log | undefined): RequestHandler {
  return (request, response, next) => {
    const exchange = beginExchange(request, response, shared);
    response.on('close', () => {
      exchange.milliseconds = performance.now() - exchange.startedAt;
      metrics.count(exchange);
      log?.request(exchange);
      // An idle connection keeps its last exchange.
      exchange.input = undefined;
    });
    const fault = protocolFault(request);
    if (fault) throw fault;
    next();
  };
}

/** Headers that must not repeat, because a proxy and this server could use different ones. Node keeps only one of them. */
const SINGLE = new Set(['host', 'authorization', 'content-type']);

/** A name, an IPv4 address or a bracketed IPv6 address, perhaps with a port: `shop.example:80`, `[::1]`. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The error of a message that HTTP does not allow; undefined if it is allowed. */
function protocolFault(request: IncomingMessage): HttpError | undefined {
  const { headers, rawHeaders, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed('This server speaks HTTP/1.1.');
  return (
    hostFault(headers.host, httpVersion) ??
    repetition(rawHeaders) ??
    codingFault(headers['transfer-encoding'], httpVersion) ??
    expectationFault(headers.expect)
  );
}

function hostFault(host: string | undefined, httpVersion: string): HttpError | undefined {
  // HTTP/1.0 had no Host.
  if (host === undefined && httpVersion === '1.0') return undefined;
  if (!host) return malformed('The Host header is missing or empty.');
  return HOST.test(host) ? undefined : malformed('The Host header is not a host.');
}

function repetition(rawHeaders: readonly string[]): HttpError | undefined {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name))
      return malformed(`The ${rawHeaders[i]} header appears more than once.`);
    seen.push(name);
  }
  return undefined;
}

function codingFault(coding: string | undefined, httpVersion: string): HttpError | undefined {
  if (coding === undefined) return undefined;
  if (httpVersion === '1.1' && coding.toLowerCase() === 'chunked') return undefined;
  return malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
}

function expectationFault(expect: string | undefined): HttpError | undefined {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined;
  return malformed(`The expectation '${expect}' is not supported.`, 417);
}
