import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import type pinoPretty from 'pino-pretty';
import { LogWriter } from './log-writer.ts';

/** The log entry of a request, written when its response has ended. */
export interface RequestEntry {
  requestId: string;
  /** Absent, with the path, where the bytes were no request. */
  method?: string;
  path?: string;
  /** The operation that was asked for, if it was one. */
  operation?: string | undefined;
  /** The name of the key that called, if it was known. */
  key?: string | undefined;
  /** The address of the client, as far as it can be trusted. */
  client?: string | undefined;
  /** The trace that the request belongs to. */
  traceId?: string;
  parentId?: string;
  /** 0 where the client went away before there was one. */
  status: number;
  ms: number;
  /** The response did not leave in whole. */
  aborted?: true;
}

export type LogRequest = (entry: RequestEntry) => void;

export interface Log {
  log: Logger;
  logRequest: LogRequest;
  /** Writes whole lines of another process. */
  pass(lines: string): void;
  /** Lines that could not be written since the start. */
  lost(): number;
  /** Waits, for a while, until everything is written; false where a write does not return. */
  close(): Promise<boolean>;
}

/** A log on stdout: JSON lines, or lines for people where stdout is a terminal. */
export function createLog(level: string): Log {
  if (process.stdout.isTTY) {
    const terminal = forPeople();
    const log = pino({ level }, terminal);
    return {
      log,
      logRequest: (entry) => log.info(entry),
      pass: (lines) => terminal.write(lines),
      lost: () => 0,
      close: async () => true,
    };
  }
  const writer: LogWriter = new LogWriter(1, (lost) => log.warn({ lost }, 'log lines were lost'));
  const log = pino({ level }, writer);
  return {
    log,
    logRequest: log.isLevelEnabled('info') ? requestLines(writer) : () => {},
    pass: (lines) => writer.write(lines),
    lost: () => writer.lost,
    close: () => writer.close(),
  };
}

function forPeople(): DestinationStream {
  const line = ({ msg, method, path, status, ms }: Record<string, unknown>) =>
    method ? `${method} ${path} ${status} in ${ms} ms` : `${msg ?? ''}`;
  // Loaded only for a terminal.
  const pretty: typeof pinoPretty = createRequire(import.meta.url)('pino-pretty');
  return pretty({
    sync: true,
    hideObject: true,
    messageFormat: line,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
}

/**
 * Writes the very lines that pino would, in a fifth of the time: there is one for every request. The parts that requests
 * share are made once.
 */
function requestLines(stdout: DestinationStream): LogRequest {
  const { info } = pino.levels.values;
  const who = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"requestId":`;
  let [time, begin] = [0, ''];
  let before: Partial<RequestEntry> = {};
  let shared = '';
  return (entry) => {
    const now = Date.now();
    if (now !== time) [time, begin] = [now, `{"level":${info},"time":${now},${who}`];
    const { operation, key, client, status } = entry;
    if (
      operation !== before.operation ||
      key !== before.key ||
      client !== before.client ||
      status !== before.status ||
      shared === ''
    ) {
      before = entry;
      shared = operation === undefined ? '' : `,"operation":"${operation}"`;
      if (key !== undefined) shared += `,"key":"${key}"`;
      if (client !== undefined) shared += `,"client":"${client}"`;
      shared += `,"status":${status},"ms":`;
    }
    const { requestId, method, path, ms, traceId, parentId, aborted } = entry;
    const target = method === undefined ? '' : `,"method":"${method}","path":${quoted(path)}`;
    const traced = traceId === undefined ? '' : `,"traceId":"${traceId}","parentId":"${parentId}"`;
    stdout.write(
      `${begin}${quoted(requestId)}${target}${shared}${ms}${traced}${aborted ? ',"aborted":true}\n' : '}\n'}`,
    );
  };
}

/** A text of printable ASCII as JSON. */
function quoted(text = ''): string {
  return /["\\]/.test(text) ? JSON.stringify(text) : `"${text}"`;
}
