import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** What is said of a request when its answer has ended. */
export interface RequestEntry {
  requestId: string;
  method: string;
  path: string;
  /** The operation that was asked for, if it was one. */
  operation: string | undefined;
  /** The name of the key that called, if it was known. */
  key: string | undefined;
  /** 0 where the client went away before there was one. */
  status: number;
  ms: number;
  /** The answer did not arrive in whole. */
  aborted?: true;
}

export interface Log {
  log: Logger;
  logRequest(entry: RequestEntry): void;
}

/** One JSON line for each thing that happens, on stdout; lines for people where stdout is a terminal. */
export function createLog(level: string): Log {
  if (process.stdout.isTTY) {
    const log = pino({ level }, forPeople());
    return { log, logRequest: (entry) => log.info(entry) };
  }
  const stdout = gathered(pino.destination({ sync: true }));
  const log = pino({ level }, stdout);
  return { log, logRequest: log.isLevelEnabled('info') ? requestLines(stdout) : () => {} };
}

function forPeople(): DestinationStream {
  const line = ({ msg, method, path, status, ms }: Record<string, unknown>) =>
    method ? `${method} ${path} ${status} in ${ms} ms` : `${msg ?? ''}`;
  return pretty({
    sync: true,
    hideObject: true,
    messageFormat: line,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
}

/** Writes the very lines that pino would, in a third of the time: there is one for every request. */
function requestLines(stdout: DestinationStream): Log['logRequest'] {
  const { info } = pino.levels.values;
  const who = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  return ({ requestId, method, path, operation, key, status, ms, aborted }) => {
    const asked = `"requestId":${JSON.stringify(requestId)},"method":"${method}","path":${JSON.stringify(path)}`;
    const by = `${operation ? `,"operation":"${operation}"` : ''}${key ? `,"key":"${key}"` : ''}`;
    const end = `"status":${status},"ms":${ms}${aborted ? ',"aborted":true' : ''}`;
    stdout.write(`{"level":${info},"time":${Date.now()},${who},${asked}${by},${end}}\n`);
  };
}

/** Milliseconds that lines are gathered for, and how long they may get: long texts cost more to join than they save. */
const gather = 20;
const enough = 8192;

/**
 * Writes lines together: a busy server has many at a time, and writing one costs as much as a small answer does. What is
 * left when the process ends, in whatever way but by SIGKILL, is written then.
 */
function gathered(stdout: DestinationStream): DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines !== '') stdout.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setTimeout(flush, gather).unref();
      lines += line;
      if (lines.length > enough) flush();
    },
  };
}
