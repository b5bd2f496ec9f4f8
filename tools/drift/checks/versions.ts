import { parse } from 'yaml';
import { released } from '../../repository.ts';
import { type Check, editFinding } from '../check.ts';
import type { Project } from '../project.ts';

export const bumps = ['major', 'minor', 'patch'] as const;
export type Bump = (typeof bumps)[number];

export const versions: Check = {
  name: 'versions',
  guarantee:
    'All packages have the version of the spec, are versioned together, and are published. Each changeset names packages that exist.',
  *run(project) {
    const { version } = project.spec.model.service;
    const manifests = manifestsOf(project);
    for (const { folder, version: actual, private: isPrivate, publishConfig } of manifests) {
      const where = `${folder}/package.json`;
      const fix = 'npx changeset version, and info.version in spec/openapi.yaml';
      if (actual !== version) yield { where, actual: `version ${actual}`, expected: `info.version, ${version}`, fix };
      if (isPrivate || !publishConfig)
        yield editFinding(where, 'it is private, or has no publishConfig', 'the package is published');
    }
    const names = manifests.map(({ name }) => name);
    const config = '.changeset/config.json';
    const { fixed }: { fixed: string[][] } = JSON.parse(project.read(config));
    if (!fixed.some((group) => names.every((name) => group.includes(name))))
      yield editFinding(config, `no group in "fixed" has all of ${names.join(', ')}`, 'all follow the spec together');
    for (const { file, bumpByPackage } of changesetsOf(project))
      for (const [name, bump] of bumpByPackage) {
        if (!names.includes(name)) yield editFinding(file, `it names ${name}`, `one of ${names.join(', ')}`);
        if (!bumps.includes(bump)) yield editFinding(file, `it says ${bump}`, `one of ${bumps.join(', ')}`);
      }
  },
};

/** The packages that are released. */
export function manifestsOf(project: Project): Manifest[] {
  return released.map((folder) => ({ folder, ...JSON.parse(project.read(`${folder}/package.json`)) }));
}

export interface Manifest {
  folder: string;
  name: string;
  version: string;
  private?: boolean;
  exports?: Readonly<Record<string, unknown>>;
  publishConfig?: { exports?: object };
}

/** The changesets of the next release. */
export function changesetsOf(project: Project): { file: string; bumpByPackage: Map<string, Bump> }[] {
  const files = project.list('.changeset').filter((file) => file.endsWith('.md') && !file.endsWith('/README.md'));
  return files.map((file) => {
    const [, head = ''] = project.read(file).split('---\n');
    return { file, bumpByPackage: new Map<string, Bump>(Object.entries(parse(head) ?? {})) };
  });
}
