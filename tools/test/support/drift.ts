// Runs the drift script in a copy of the repository, as it is or after edits, which are then undone.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { copyOfRepository } from './copy.ts';

export interface Edit {
  readonly file: string;
  /** It has to be there. Only its first place is replaced. */
  readonly from: string | RegExp;
  readonly to: string;
}

/** A contradiction that the drift script has to find. */
export interface Plant {
  readonly name: string;
  /** The check that finds it. */
  readonly check: string;
  readonly edits: readonly Edit[];
  /** Whether the code is generated anew after the edits. */
  readonly isGenerated?: boolean;
  /** A part of the finding. */
  readonly says: string;
}

type Row = readonly [name: string, from: string | RegExp, to: string, says: string];

/** Plants of one check that edit one file each. */
export function plantsIn(check: string, file: string, rows: readonly Row[]): Plant[] {
  return rows.map(([name, from, to, says]) => ({ name, check, edits: [{ file, from, to }], says }));
}

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A copy of the repository, which is removed at the end of the test file. */
export class DriftCopy {
  readonly copy = copyOfRepository();

  constructor() {
    afterAll(() => this.copy.remove());
    // The spec as it is was released.
    this.copy.git('init', '--quiet');
    this.copy.git('add', 'spec');
    this.copy.git('commit', '--quiet', '--message', 'Release');
    this.copy.git('tag', '@petstore/spec@1.0.0');
  }

  /** What the script says, without names of checks for all of them. */
  drift(checks: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Outcome {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['tools/drift/main.ts', ...checks],
      { cwd: this.copy.folder, encoding: 'utf8', env: { ...process.env, ...env } },
    );
    return { code: status, output: stdout + stderr };
  }

  /** What the script says after edits. */
  driftAfter(edits: readonly Edit[], checks: readonly string[] = [], isGenerated = false): Outcome {
    const generated = globSync('packages/*/src/gen/*', { cwd: this.copy.folder });
    const files = [...edits.map(({ file }) => file), ...generated];
    const before = new Map(files.map((file) => [file, this.#textOf(file)]));
    try {
      for (const { file, from, to } of edits)
        this.copy.change(file, (text) => text.replace(from, () => to));
      if (isGenerated) this.copy.generate();
      return this.drift(checks);
    } finally {
      for (const [file, text] of before) this.#write(file, text);
    }
  }

  #textOf(file: string): string | undefined {
    const path = join(this.copy.folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  #write(file: string, text: string | undefined): void {
    const path = join(this.copy.folder, file);
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
}
