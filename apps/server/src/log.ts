import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** One JSON line for each thing that happens, on stdout; lines for people where stdout is a terminal. */
export function createLog(level: string): Logger {
  if (!process.stdout.isTTY) return pino({ level });
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
