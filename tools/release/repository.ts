import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, root } from '../repository.ts';

/**
 * Does something while the manifests say where the packages come from. The registry takes provenance only for packages
 * that name their repository, and which one that is, is known where the release runs.
 */
export function withRepository(work: () => void): void {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (!server || !name) return work();
  const before = new Map(released.map((folder) => [folder, readFileSync(manifest(folder), 'utf8')]));
  try {
    for (const [directory, text] of before) {
      const repository = { type: 'git', url: `git+${server}/${name}.git`, directory };
      writeFileSync(manifest(directory), `${JSON.stringify({ ...JSON.parse(text), repository }, undefined, 2)}\n`);
    }
    work();
  } finally {
    for (const [folder, text] of before) writeFileSync(manifest(folder), text);
  }
}

const manifest = (folder: string) => join(root, folder, 'package.json');
