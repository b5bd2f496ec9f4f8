// `npm run release`, and `npm run version`, its first step. Repeat it after a failure: it continues where it stopped. It
// publishes the packed files, which remain in dist/release with their SBOMs.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changesetsOf } from '../drift/checks/versions.ts';
import { openProject } from '../drift/project.ts';
import { released, root, textOf } from '../repository.ts';
import { currentVersion, nextVersion, outputOf, run, sbom, withRepository } from './steps.ts';

const folder = 'dist/release';
const plan = `${folder}/plan.json`;

async function release(options: { tested: boolean; packOnly: boolean }): Promise<void> {
  const changes = outputOf('git', 'status', '--porcelain');
  const branch = outputOf('git', 'branch', '--show-current').trim();
  if (branch !== 'main') throw new Error(`The branch is ${branch || 'none'}: switch to main for a release.`);
  if (changes !== '') throw new Error(`These files have changes; commit them first:\n${changes.trimEnd()}`);
  if (changesetsOf(openProject()).length > 0) {
    nextVersion();
    run('git', 'add', '--all');
    run('git', 'commit', '--quiet', '--message', `Release ${currentVersion()}`);
  }
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder), { recursive: true });
  run('changeset', 'publish-plan', '--output', plan);
  if (JSON.parse(textOf(plan)).plan.length === 0) return console.log('The registry already has every version.');

  if (!options.tested) run('npm', 'test');
  // Without the cache, so the packages are built from this commit.
  run('node', 'tools/turbo.mjs', 'run', 'build', '--force');
  withRepository(() => run('changeset', 'pack', '--from-publish-plan', plan, '--out-dir', folder));
  for (const directory of released) {
    const { name, version } = JSON.parse(textOf(`${directory}/package.json`));
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
