import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const writersFile = fileURLToPath(new URL('writers.ts', import.meta.url));

/** How many write at once. */
export const WRITERS = 32;

/** So many lines are more than each writer's first: some writes are acknowledged. */
export const SOME_ACKNOWLEDGED = 1 + WRITERS + 10;

/** A process running writers.ts. */
export interface Writers {
  word: string;
  child: ChildProcess;
  /** When the store is open, or the process has ended without. */
  open: Promise<void>;
  /** When it has printed so many lines, the first for the open store and one for each write, or has ended without. */
  printed(lines: number): Promise<void>;
  /** How many lines it has printed. */
  lines(): number;
  /** What it printed until it ended, line by line. */
  ended: Promise<string[]>;
  /** What it wrote to stderr. */
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
 * Stops the process before the disk, as a power cut does: when ioctl shuts a file system down, syncs that run at that
 * moment report success, which the process must not print.
 */
export async function freeze({ child }: Writers) {
  child.kill('SIGSTOP');
  const isStopped = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T');
  while (!isStopped()) await pause(1);
}
