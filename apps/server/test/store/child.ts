import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';

export const writersFile = fileURLToPath(new URL('writers.ts', import.meta.url));

/** A process running writers.ts. */
export interface Writers {
  child: ChildProcess;
  /** When the store is open, or the process has ended without. */
  open: Promise<void>;
  /** The names that were acknowledged until the process ended, by identifier. */
  ended: Promise<Map<number, string>>;
  /** What it wrote to stderr. */
  errors(): string;
}

export function startWriters(
  folder: string,
  word: string,
  writers: number,
  animals = Number.POSITIVE_INFINITY,
): Writers {
  const child = spawn(process.execPath, [writersFile, folder, word, String(writers), String(animals)]);
  let output = '';
  let errors = '';
  const { promise: open, resolve: isOpen } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    isOpen();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(() => {
    isOpen();
    return acknowledged(output);
  });
  return { child, open, ended, errors: () => errors };
}

function acknowledged(output: string): Map<number, string> {
  const lines = output.split('\n').slice(0, -1);
  const pairs = lines.filter((line) => line !== 'open').map((line) => line.split(' '));
  const found = new Map(pairs.map(([id, name]) => [Number(id), name ?? '']));
  expect(found.size, 'an identifier was given twice').toBe(pairs.length);
  return found;
}

/** Adds to what is known; no identifier may be known already. */
export function learn(known: Map<number, string>, more: Map<number, string>) {
  for (const [id, name] of more) {
    expect(known.get(id), `animal ${id} was given twice`).toBeUndefined();
    known.set(id, name);
  }
}

/** Every animal that is known is in the store, and no name is there twice. Those not acknowledged become known here. */
export async function expectKept(store: Store, known: Map<number, string>) {
  const pets = await store.list({ after: 0, limit: Number.MAX_SAFE_INTEGER });
  const kept = new Map(pets.map(({ id, name }) => [id, name]));
  expect(kept.size, 'an identifier is there twice').toBe(pets.length);
  expect(new Set(kept.values()).size, 'an animal is there twice').toBe(pets.length);
  const wrong = [...known].filter(([id, name]) => kept.get(id) !== name);
  expect(wrong, 'acknowledged, but not kept').toEqual([]);
  for (const [id, name] of kept) known.set(id, name);
}

/**
 * Stops the process as a cut of power stops the processor: before the disk. The shutdown of a file system that is asked
 * for by ioctl answers syncs that run at that moment as if they had succeeded, and nobody may hear of that.
 */
export async function freeze({ child }: Writers) {
  child.kill('SIGSTOP');
  const isStopped = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T');
  while (!isStopped()) await pause(1);
}
