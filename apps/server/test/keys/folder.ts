import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A data folder that is gone after the test. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
