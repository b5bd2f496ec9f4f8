// `npm run release`, and `npm run version`, which is its first step alone. A release may be repeated after a failure: it
// goes on where it stopped. What is published was packed before, is described by its SBOM, and stays in dist/release.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changesetsOf } from '../drift/checks/versions.ts';
import { openProject } from '../drift/project.ts';
import { released, root, textOf } from '../repository.ts';
import { withRepository } from './repository.ts';
import { run, said } from './run.ts';
import { sbom } from './sbom.ts';
import { nextVersion, versionNow } from './version.ts';

const folder = 'dist/release';
const plan = `${folder}/plan.json`;

async function release(options: { tested: boolean; packOnly: boolean }): Promise<void> {
  const changes = said('git', 'status', '--porcelain');
  const branch = said('git', 'branch', '--show-current').trim();
  if (branch !== 'main') throw new Error(`A release is made from main, and this is ${branch || 'no branch'}.`);
  if (changes !== '')
    throw new Error(`A release is made from a commit, and these files have changes:\n${changes.trimEnd()}`);
  if (changesetsOf(openProject()).length > 0) {
    nextVersion();
    run('git', 'add', '--all');
    run('git', 'commit', '--quiet', '--message', `Release ${versionNow()}`);
  }
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder), { recursive: true });
  run('changeset', 'publish-plan', '--output', plan);
  if (JSON.parse(textOf(plan)).plan.length === 0) return console.log('The registry has every version already.');

  if (!options.tested) run('npm', 'test');
  // Not from the cache: what is published is built from this commit, here and now.
  run('node', 'tools/turbo.mjs', 'run', 'build', '--force');
  withRepository(() => run('changeset', 'pack', '--from-publish-plan', plan, '--out-dir', folder));
  for (const place of released) {
    const { name, version } = JSON.parse(textOf(`${place}/package.json`));
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`;
    writeFileSync(join(root, folder, file), `${JSON.stringify(sbom(name), undefined, 2)}\n`);
  }
  if (options.packOnly) return console.log(`Packed. The packages and their SBOMs are in ${folder}.`);
  run('changeset', 'publish', '--from-pack-dir', folder);
  console.log(`Published. The packages and their SBOMs are in ${folder}. Now: git push --follow-tags`);
}

const options = { tested: { type: 'boolean' }, pack: { type: 'boolean' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
try {
  if (positionals[0] === 'version') nextVersion();
  else await release({ tested: values.tested === true, packOnly: values.pack === true });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
