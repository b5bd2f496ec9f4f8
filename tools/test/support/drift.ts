// Runs the drift script in a copy of the repository, as it is or after an edit.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rounds } from '@petstore/testing';
import { afterAll } from 'vitest';
import { type Plant, plants } from '../drift-plants.ts';
import { copyOfRepository } from './copy.ts';

const changeset = '.changeset/edit.md';

/** A copy of the repository, and the drift script in it. The copy is removed at the end of the test file. */
export function driftInCopy() {
  const copy = copyOfRepository();
  const released = join(copy.folder, 'released.yaml');
  writeFileSync(released, readFileSync(join(copy.folder, 'spec/openapi.yaml')));
  afterAll(() => copy.remove());

  function drift(checks: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const options = {
      cwd: copy.folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['tools/drift/main.ts', ...checks],
      options,
    );
    return { code: status, output: stdout + stderr };
  }

  /** What the script says after an edit, which is then undone. */
  function driftAfter(
    { file, from, to, check }: Pick<Plant, 'file' | 'from' | 'to' | 'check'>,
    level?: string,
  ) {
    const path = join(copy.folder, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    try {
      copy.change(file, (before) => before.replace(from, () => to));
      if (level) copy.change(changeset, () => `---\n'@petstore/spec': ${level}\n---\n\nAn edit.\n`);
      return drift([check], { DRIFT_BASE: released });
    } finally {
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
      rmSync(join(copy.folder, changeset), { force: true });
    }
  }
  return { copy, drift, driftAfter };
}

/** The plants of some checks: in the quick run the first of each, in the deep run all. */
export function plantsOf(...checks: readonly string[]): readonly Plant[] {
  const own = plants.filter(({ check }) => checks.includes(check));
  return rounds(
    own.filter(({ check }, i) => own.findIndex((other) => other.check === check) === i),
    own,
  );
}
