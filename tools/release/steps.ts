// The steps of a release: the next version, manifests that name the repository, SBOMs.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, root, textOf } from '../repository.ts';

/** The parts of a CycloneDX document that are used here. */
interface Bom {
  readonly components: readonly { readonly purl: string }[];
}

const spec = 'spec/openapi.yaml';

/** Runs a program with inherited output. Throws if it fails. */
export function run(command: string, ...args: string[]): void {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: shellFor(command) });
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${[command, ...args].join(' ')}\` ended with ${status ?? signal}.`);
}

/** The stdout of a program. */
export function outputOf(command: string, ...args: string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, shell: shellFor(command) } as const;
  return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The version that all packages have. */
export function currentVersion(): string {
  return JSON.parse(textOf('spec/package.json')).version;
}

/** Gives all packages and the spec their next version, writes the changelogs, and generates. */
export function nextVersion(): void {
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
export function withRepository(work: () => void): void {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (!server || !name) return work();
  const manifest = (folder: string) => join(root, folder, 'package.json');
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

/** The dependencies of a package on any platform, bundled or not. pnpm knows only the licences of installed ones. */
export function sbom(name: string): Bom {
  const list = (...flags: string[]): Bom =>
    JSON.parse(outputOf('pnpm', 'sbom', '--sbom-format', 'cyclonedx', '--filter', name, ...flags));
  const needed = list('--prod', '--lockfile-only');
  const installed = new Map(list().components.map((component) => [component.purl, component]));
  return { ...needed, components: needed.components.map((component) => installed.get(component.purl) ?? component) };
}

/** Programs that npm links are scripts on Windows, and need a shell. */
const shellFor = (command: string) => process.platform === 'win32' && command !== 'git';
