import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { hostname } from 'node:os';
import { pino } from 'pino';
import type { Context } from './context.ts';

/** What the app reports. */
export interface Log {
  /** Writes the line of a request whose response has ended. */
  request(context: Context, request: IncomingMessage, response: ServerResponse, client: string | undefined): void;
  /** Writes the line of bytes that are no request. */
  rejected(requestId: string, status: number, client: string | undefined): void;
  error(error: unknown, requestId?: string): void;
}

/** A log that writes nothing. */
export const silent: Log = { request: () => {}, rejected: () => {}, error: () => {} };

/** The log of a server process. */
export interface ServerLog extends Log {
  info(message: string): void;
  warn(message: string): void;
  /** How many lines could not be written. */
  lost(): number;
  close(): Promise<void>;
}

/** The lines of requests are written together, at most so many and so late. */
const MAX_LINES = 200;
const MAX_WAIT_MS = 20;
/** Lines beyond this are lost while nothing can be written. */
const MAX_BYTES = 2 ** 20;

/** Probes would fill the log. */
const probes = new Set(['/healthz', '/readyz', '/metrics']);

/** Creates the log on stdout: JSON lines. If they cannot be written, the server works on without them. */
export function openLog(level: string, fd = 1): ServerLog {
  const destination = pino.destination({ dest: fd, sync: false, maxLength: MAX_BYTES });
  const log = pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  let lost = 0;
  destination.on('drop', (text: string) => {
    lost += text.split('\n').length - 1;
  });
  // A full disk or a closed pipe: the destination keeps what waits, and tries again with the next line.
  destination.on('error', () => {});
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  const isInfo = log.isLevelEnabled('info');
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length > 0) destination.write(lines.join(''));
    lines = [];
  };
  const add = (entry: object) => {
    const time = new Date().toISOString();
    lines.push(`{"level":30,"time":"${time}",${origin},${JSON.stringify(entry).slice(1)}\n`);
    if (lines.length >= MAX_LINES) flush();
    else timer ??= setTimeout(flush, MAX_WAIT_MS);
  };
  return {
    request({ requestId, started, method, path, operation, keyName }, { headers, socket }, response, client) {
      if (!isInfo || probes.has(path)) return;
      const { headersSent, statusCode, writableFinished } = response;
      const [, traceId, parentId] = traceparent.exec(String(headers.traceparent ?? '')) ?? [];
      add({
        requestId,
        method,
        path,
        operation: operation?.id,
        key: keyName,
        client: client ?? socket.remoteAddress,
        status: headersSent ? statusCode : 0,
        ms: Math.round((performance.now() - started) * 1000) / 1000,
        ...(traceId && { traceId, parentId }),
        ...(!writableFinished && { aborted: true }),
      });
    },
    rejected: (requestId, status, client) => isInfo && add({ requestId, client, status, ms: 0 }),
    error: (error, requestId) => log.error({ requestId, err: error }),
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    lost: () => lost,
    close: () => {
      flush();
      return new Promise((resolve) => {
        // A closed pipe never becomes writable again.
        setTimeout(resolve, 500).unref();
        destination.flush(() => resolve());
      });
    },
  };
}

const traceparent = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;

/** The trusted proxies in front: their number, or their addresses and networks. */
export type Proxies = number | BlockList;

/** The address of the client: the last one in `X-Forwarded-For` that no trusted proxy has. */
export function clientOf({ headers, socket }: IncomingMessage, proxies: Proxies): string | undefined {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const addresses = [socket.remoteAddress ?? '', ...forwarded.map((text) => text.trim()).reverse()].filter(Boolean);
  const isTrusted = (address: string, hop: number) =>
    typeof proxies === 'number' ? hop < proxies : proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  const at = addresses.findIndex((address, hop) => !isTrusted(address, hop));
  return addresses.at(at)?.slice(0, 64);
}
