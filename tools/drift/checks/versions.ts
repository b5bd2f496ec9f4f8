import { released } from '../../repository.ts';
import type { Check, Finding } from '../check.ts';
import { versionOf } from '../openapi.ts';
import type { Project } from '../project.ts';

export const bumps = ['major', 'minor', 'patch'] as const;
export type Bump = (typeof bumps)[number];

export const versions: Check = {
  name: 'versions',
  guarantee:
    'All packages have the version of the spec, are versioned together, and are published. Each changeset names packages that exist.',
  run: (project) => {
    const version = versionOf(project.spec.root);
    const manifests = manifestsOf(project);
    const names = manifests.map(({ name }) => name);
    const { fixed } = JSON.parse(project.read('.changeset/config.json'));
    const findings: Finding[] = [];
    const finding = (where: string, actual: string, expected: string, fix = `edit ${where}`) =>
      findings.push({ where, actual, expected, fix });

    for (const { folder, version: actual } of manifests.filter((manifest) => manifest.version !== version)) {
      const fix = 'npx changeset version, and info.version in spec/openapi.yaml';
      finding(`${folder}/package.json`, `version ${actual}`, `info.version is ${version}`, fix);
    }
    for (const name of names.filter((one) => !fixed.flat().includes(one))) {
      const fix = 'add it to "fixed"';
      finding('.changeset/config.json', `${name} is versioned by itself`, 'all follow the spec together', fix);
    }
    // All packages have to be in one group.
    if (!fixed.some((group: string[]) => names.every((one) => group.includes(one))))
      finding('.changeset/config.json', 'the packages are in several groups', 'all follow the spec together');
    for (const { folder } of manifests.filter((manifest) => manifest.private || !manifest.publishConfig))
      finding(`${folder}/package.json`, 'it is private, or has no publishConfig', 'the package is published');
    for (const changeset of changesetsOf(project)) {
      for (const [name, bump] of changeset.bumps) {
        if (!names.includes(name)) finding(changeset.file, `it names ${name}`, `the packages are ${names.join(', ')}`);
        if (!bumps.includes(bump)) finding(changeset.file, `it says ${bump}`, `a change is ${bumps.join(', ')}`);
      }
    }
    return findings;
  },
};

/** The packages that are released. */
export function manifestsOf(project: Project): Manifest[] {
  return released.map((folder) => ({ folder, ...JSON.parse(project.read(`${folder}/package.json`)) }));
}

interface Manifest {
  folder: string;
  name: string;
  version: string;
  private?: boolean;
  publishConfig?: object;
}

/** The changesets of the next release. */
export function changesetsOf(project: Project): { file: string; bumps: Map<string, Bump> }[] {
  const files = project.list('.changeset').filter((file) => file.endsWith('.md') && !file.endsWith('/README.md'));
  return files.map((file) => {
    const [, head = ''] = project.read(file).split('---\n');
    const lines = head.split('\n').filter((line) => line.trim() !== '');
    const pairs = lines.map((line) => line.split(':').map((part) => part.trim().replace(/^['"]|['"]$/g, '')));
    return { file, bumps: new Map(pairs as [string, Bump][]) };
  });
}
