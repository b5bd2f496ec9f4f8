import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** One JSON line for each thing that happens, on stdout; lines for people where stdout is a terminal. */
export function createLog(level: string): Logger {
  if (!process.stdout.isTTY) return pino({ level }, gathered(pino.destination()));
  const line = ({ msg, method, path, status, ms }: Record<string, unknown>) =>
    method ? `${method} ${path} ${status} in ${ms} ms` : `${msg ?? ''}`;
  return pino(
    { level },
    pretty({
      sync: true,
      hideObject: true,
      messageFormat: line,
      ignore: 'pid,hostname',
      translateTime: 'SYS:HH:MM:ss',
    }),
  );
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
