import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import type pinoPretty from 'pino-pretty';
import { LogWriter } from './log-writer.ts';

/** The log entry of a request, written when its response has ended. */
export interface RequestEntry {
  requestId: string;
  /** Absent, like the path, for malformed bytes. */
  method?: string;
  path?: string;
  /** The identifier of the operation, if the request is for one. */
  operation?: string | undefined;
  /** The name of the API key, if it is known. */
  key?: string | undefined;
  /** The address of the client, as far as it can be trusted. */
  client?: string | undefined;
  /** The trace of the request. */
  traceId?: string;
  parentId?: string;
  /** 0 if the connection was closed before the response. */
  status: number;
  ms: number;
  /** Set if the response was not sent completely. */
  aborted?: true;
}

export type LogRequest = (entry: RequestEntry) => void;

export interface Log {
  log: Logger;
  logRequest: LogRequest;
  /** The number of lines lost since the start. */
  lostLines(): number;
  /** Waits for a limited time until everything is written; false if a write does not return. */
  close(): Promise<boolean>;
}

/** Creates the log on stdout: readable lines on a terminal, otherwise JSON lines. */
export function createLog(level: string): Log {
  const writer: LogWriter = new LogWriter(1, (lost) => log.warn({ lost }, 'log lines were lost'));
  const { isTTY } = process.stdout;
  const destination = isTTY ? readableLines(writer) : writer;
  const log = pino({ level }, destination);
  const logRequest: LogRequest = isTTY ? (entry) => log.info(entry) : requestLines(writer);
  return {
    log,
    logRequest: log.isLevelEnabled('info') ? logRequest : () => {},
    lostLines: () => writer.lost,
    close: () => writer.close(),
  };
}

/** Makes JSON lines readable, and passes them on. */
function readableLines(stdout: DestinationStream): DestinationStream {
  const request = ({ method, path, status, ms }: Record<string, unknown>) =>
    `${method ? `${method} ${path}` : 'malformed request'} ${status} in ${ms} ms`;
  // Only a terminal needs this library, so it is loaded here.
  const { prettyFactory }: typeof pinoPretty = createRequire(import.meta.url)('pino-pretty');
  const format = prettyFactory({
    messageFormat: (entry) => (entry.status === undefined ? `${entry.msg ?? ''}` : request(entry)),
    // Everything else is shown below the line, above all the stack of an error.
    ignore: 'pid,hostname,requestId,method,path,operation,key,client,traceId,parentId,status,ms,aborted',
    translateTime: 'SYS:HH:MM:ss',
  });
  return { write: (lines) => stdout.write(lines.trimEnd().split('\n').map(format).join('')) };
}

/**
 * Writes the same lines as pino, in a fifth of the time: this matters, because every request logs a line. Text that is equal for
 * consecutive requests is built once.
 */
function requestLines(stdout: DestinationStream): LogRequest {
  const { info } = pino.levels.values;
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"requestId":`;
  let [time, begin] = [0, ''];
  let previous: Partial<RequestEntry> = {};
  let shared = '';
  return (entry) => {
    const now = Date.now();
    if (now !== time) [time, begin] = [now, `{"level":${info},"time":${now},${origin}`];
    const { operation, key, client, status } = entry;
    if (
      operation !== previous.operation ||
      key !== previous.key ||
      client !== previous.client ||
      status !== previous.status ||
      shared === ''
    ) {
      previous = entry;
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

/** Printable ASCII as a JSON string. */
function quoted(text = ''): string {
  return /["\\]/.test(text) ? JSON.stringify(text) : `"${text}"`;
}
