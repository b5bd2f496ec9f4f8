// What all tests of petctl share: a folder, and the environment of the program.
import { newFolder } from '@petstore/testing';
import { afterAll } from 'vitest';

export type Environment = Record<string, string | undefined>;

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Registers what to do at the end of the test file; the last one is done first. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** The folder of a test file, which is also the user's home. */
export const scratch = newFolder('petctl', atEnd);

/** Settings for a service that is not there. */
export const unreachable = {
  PETCTL_BASE_URL: 'http://127.0.0.1:1/v1',
  PETCTL_API_KEY: 'a-key',
  PETCTL_RETRIES: '0',
};

/** The environment of the program, without the machine's own settings. */
export function environment(more: Environment = {}): Environment {
  return { PATH: process.env.PATH, HOME: scratch, PETCTL_KEYRING: 'false', ...more };
}
