import { afterAll } from 'vitest';

const undo: (() => unknown)[] = [];

// A hook counts only where the file is collected, not from within another hook or a test.
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

/** Does this when the tests of the file are over, the last first. */
export function whenOver(one: () => unknown): void {
  undo.push(one);
}
