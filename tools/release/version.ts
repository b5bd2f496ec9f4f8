import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import { run } from './run.ts';

const file = 'spec/openapi.yaml';

/** The version that all packages have. */
export const versionNow = (): string => JSON.parse(textOf('spec/package.json')).version;

/** Gives all packages their next version, writes their changelogs, and brings along what follows from the version. */
export function nextVersion(): void {
  const before = versionNow();
  run('changeset', 'version');
  const parts = textOf(file).split(`\n  version: ${before}\n`);
  if (parts.length !== 2)
    throw new Error(`${file} does not say once, and without quotes, that its version is ${before}.`);
  writeFileSync(join(root, file), parts.join(`\n  version: ${versionNow()}\n`));
  run('node', 'tools/generate/main.ts');
  run('node', 'tools/drift/main.ts');
}
