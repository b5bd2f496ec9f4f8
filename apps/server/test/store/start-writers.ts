import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const writersFile = fileURLToPath(new URL('writers.ts', import.meta.url));

/** The number of concurrent writers. */
export const WRITERS = 32;

/** After this many lines some writes are acknowledged: the line of the open store, the first of each writer, and ten more. */
export const SOME_ACKNOWLEDGED = 1 + WRITERS + 10;

/** A process running writers.ts. */
export interface Writers {
  word: string;
  child: ChildProcess;
  /** Resolves when the store is open, or the process has ended. */
  open: Promise<void>;
  /** Resolves when the process has printed this many lines, or has ended. */
  printed(lines: number): Promise<void>;
  /** The number of printed lines: one for the open store, then one for the beginning and one for the end of each write. */
  lines(): number;
  /** All printed lines, once the process has ended. */
  ended: Promise<string[]>;
  /** The text on stderr. */
  errors(): string;
}

export function startWriters(place: string, word: string, writers: number, writes = Number.POSITIVE_INFINITY): Writers {
  const child = spawn(process.execPath, [writersFile, place, word, String(writers), String(writes)]);
  let output = '';
  let errors = '';
  const waiting: { lines: number; done: () => void }[] = [];
  let hasEnded = false;
  const lines = () => output.split('\n').length - 1;
  const check = () => {
    for (const one of waiting) if (hasEnded || lines() >= one.lines) one.done();
  };
  const printed = (lines: number) =>
    new Promise<void>((done) => {
      waiting.push({ lines, done });
      check();
    });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    check();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(() => {
    hasEnded = true;
    check();
    return output.split('\n').slice(0, -1);
  });
  return { word, child, open: printed(1), printed, lines, ended, errors: () => errors };
}

/**
 * Suspends the process, which must not run when the power is cut: syncs that run while ioctl shuts a file system down report
 * success, and the process would print it.
 */
export async function freeze({ child }: Writers) {
  child.kill('SIGSTOP');
  const isStopped = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T');
  while (!isStopped()) await pause(1);
}
