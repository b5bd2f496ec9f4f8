// `npm run release`, and `npm run version`, its first step. Repeat it after a failure: it continues where it stopped. It
// publishes the packed files, which remain in dist/release with their SBOMs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { changesetsOf } from '../drift/checks/versions.ts';
import { openProject } from '../drift/project.ts';
import { released, root, textOf } from '../repository.ts';

const spec = 'spec/openapi.yaml';
const folder = 'dist/release';
const plan = `${folder}/plan.json`;

function release({ tested = false, pack = false }): void {
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

  if (!tested) run('npm', 'test');
  // Without the cache, so the packages are built from this commit.
  run('node', 'tools/turbo.mjs', 'run', 'build', '--force');
  withRepository(() => run('changeset', 'pack', '--from-publish-plan', plan, '--out-dir', folder));
  for (const directory of released) {
    const { name, version } = JSON.parse(textOf(`${directory}/package.json`));
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`;
    writeFileSync(join(root, folder, file), `${JSON.stringify(sbom(name), undefined, 2)}\n`);
  }
  if (pack) return console.log(`Packed. The packages and their SBOMs are in ${folder}.`);
  run('changeset', 'publish', '--from-pack-dir', folder);
  console.log(`Published. The packages and their SBOMs are in ${folder}. Now: git push --follow-tags`);
}

/** The parts of a CycloneDX document that are used here. */
interface Bom {
  readonly components: readonly { readonly purl: string }[];
}

/** Runs a program with inherited output. Throws if it fails. */
function run(command: string, ...args: string[]): void {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: shellFor(command) });
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${[command, ...args].join(' ')}\` ended with ${status ?? signal}.`);
}

/** The stdout of a program. */
function outputOf(command: string, ...args: string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, shell: shellFor(command) } as const;
  return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The version that all packages have. */
function currentVersion(): string {
  return JSON.parse(textOf('spec/package.json')).version;
}

/** Gives all packages and the spec their next version, writes the changelogs, and generates. */
function nextVersion(): void {
  const before = currentVersion();
  run('changeset', 'version');
  const parts = textOf(spec).split(`\n  version: ${before}\n`);
  if (parts.length !== 2)
    throw new Error(`${spec} does not contain 'version: ${before}' exactly once, without quotes.`);
  writeFileSync(join(root, spec), parts.join(`\n  version: ${currentVersion()}\n`));
  run('node', 'tools/generate/main.ts');
  run('node', 'tools/drift/main.ts');
}

/**
 * Runs `work` while the manifests name the repository. The registry accepts provenance only for such packages, and only
 * the release workflow knows the repository.
 */
function withRepository(work: () => void): void {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (!server || !name) return work();
  const manifests = released.map((folder) => `${folder}/package.json`);
  try {
    for (const file of manifests) {
      const repository = { type: 'git', url: `git+${server}/${name}.git`, directory: dirname(file) };
      writeFileSync(join(root, file), `${JSON.stringify({ ...JSON.parse(textOf(file)), repository }, undefined, 2)}\n`);
    }
    work();
  } finally {
    run('git', 'restore', ...manifests);
  }
}

/** The dependencies of a package on any platform, bundled or not. pnpm knows licences only of installed packages. */
function sbom(name: string): Bom {
  const list = (...flags: string[]): Bom =>
    JSON.parse(outputOf('pnpm', 'sbom', '--sbom-format', 'cyclonedx', '--filter', name, ...flags));
  const needed = list('--prod', '--lockfile-only');
  const installed = new Map(list().components.map((component) => [component.purl, component]));
  return { ...needed, components: needed.components.map((component) => installed.get(component.purl) ?? component) };
}

/** Programs that npm links are scripts on Windows, and need a shell. */
function shellFor(command: string): boolean {
  return process.platform === 'win32' && command !== 'git';
}

try {
  const options = { tested: { type: 'boolean' }, pack: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, ...more] = positionals;
  if (more.length > 0 || (command !== undefined && command !== 'version'))
    throw new Error(`Unknown command '${positionals.join(' ')}': use 'version', or none for a release.`);
  if (command === 'version') nextVersion();
  else release(values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
