import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import proxyAddress from 'proxy-addr';
import { probes } from './health.ts';
import type { Exchange } from './request.ts';

/** The log of a server process. */
export type ServerLog = ReturnType<typeof openLog>;

/** What the app reports. */
export type Log = Pick<ServerLog, 'request' | 'rejected'>;

/** Whether an address belongs to a trusted proxy; `hop` counts from this server. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** So many lines, or those of so many milliseconds, are written together. */
const MAX_LINES = 200;
const MAX_WAIT_MS = 20;

const traceparent = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;

let [isoAt, isoText] = [0, ''];
/** The time as text, which the lines of a millisecond share. */
function isoTime(now = Date.now()): string {
  if (now !== isoAt) [isoAt, isoText] = [now, new Date(now).toISOString()];
  return isoText;
}

/** Creates the log on stdout: JSON lines. If they cannot be written, the server works on without them. */
export function openLog(level: string, trustProxy: TrustProxy | null) {
  // Lines beyond this length are lost while nothing can be written.
  const destination = pino.destination({ dest: 1, sync: false, maxLength: 2 ** 20 });
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    destination.write(lines.join(''));
    lines = [];
  };
  const write = (line: string) => {
    lines.push(line);
    if (lines.length >= MAX_LINES) flush();
    else timer ??= setTimeout(flush, MAX_WAIT_MS);
  };
  const log = pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  /** Writes a line as pino does, in half the time. Its number for information is 30, that for an error 50. */
  const writeEntry = (entry: object, level = 30) => {
    if (level < log.levelVal) return;
    write(`{"level":${level},"time":"${isoTime()}",${origin},${JSON.stringify(entry).slice(1)}\n`);
  };
  let lost = 0;
  destination.on('drop', (text: string) => {
    lost += text.split('\n').length - 1;
  });
  // A full disk or a closed pipe: the destination keeps what waits, and tries again with the next line.
  destination.on('error', () => {});
  // Once Node itself has opened it, a pipe that nobody reads blocks no thread, and with it the end of the process.
  process.stdout.on('error', () => {});
  // At the end of the process, pino would try for ever.
  process.prependListener('exit', () => destination.destroy());
  return {
    /** Writes the line of a request whose response has ended. */
    request({
      request,
      response,
      requestId,
      started,
      method,
      target,
      operation,
      caller,
      error,
    }: Exchange): void {
      if (probes.has(target.url)) return;
      const [, traceId, parentId] =
        traceparent.exec(String(request.headers.traceparent ?? '')) ?? [];
      const entry = {
        requestId,
        method,
        path: target.path,
        operation: operation?.id,
        key: caller,
        client: trustProxy ? proxyAddress(request, trustProxy) : request.socket.remoteAddress,
        status: response.headersSent ? response.statusCode : 0,
        ms: Math.round((performance.now() - started) * 1000) / 1000,
        traceId,
        parentId,
        aborted: response.writableFinished ? undefined : true,
        err: error instanceof Error ? pino.stdSerializers.err(error) : error,
      };
      writeEntry(entry, error === undefined ? 30 : 50);
    },
    /** Writes the line of bytes that are no request. */
    rejected(requestId: string, status: number, client: string | undefined): void {
      writeEntry({ requestId, client, status, ms: 0 });
    },
    info: (message: string) => log.info(message),
    warn: (message: string) => log.warn(message),
    /** How many lines could not be written. */
    lost: () => lost,
    /** Resolves when all is written, or cannot be. */
    async close(): Promise<void> {
      const drained = once(destination, 'drain').catch(() => {});
      flush();
      await Promise.race([drained, pause(500)]);
    },
  };
}
