import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { node } from '../future/spec.ts';
import { root, spec, textOf } from '../root.ts';

/** The packages that are released together, by their folders. */
export const released = ['spec', 'packages/types', 'packages/client', 'apps/petctl', 'apps/server'];

export type Bump = 'major' | 'minor' | 'patch';

/** The version of the spec is the version of every package that follows from it, and changesets name packages that exist. */
export function versions(): Finding[] {
  const found: Finding[] = [];
  const finding = (where: string, what: string, says: string, mend: string) =>
    found.push({ surface: 'versions', where, what, spec: says, mend });
  const version = String(node(spec.info).version);
  const names = new Set<string>();
  for (const folder of released) {
    const manifest = JSON.parse(textOf(`${folder}/package.json`));
    names.add(manifest.name);
    if (manifest.version !== version)
      finding(
        `${folder}/package.json`,
        `version ${manifest.version}`,
        `info.version is ${version}`,
        'npx changeset version, and info.version in spec/openapi.yaml',
      );
  }
  const { fixed } = JSON.parse(textOf('.changeset/config.json'));
  for (const name of names) {
    if (!fixed.flat().includes(name))
      finding(
        '.changeset/config.json',
        `${name} is versioned by itself`,
        'all follow the spec together',
        'add it to "fixed"',
      );
  }
  for (const { file, bumps } of changesets()) {
    for (const [name, bump] of bumps) {
      if (!names.has(name))
        finding(
          `.changeset/${file}`,
          `it names ${name}`,
          `the packages are ${[...names].join(', ')}`,
          `edit .changeset/${file}`,
        );
      if (!['major', 'minor', 'patch'].includes(bump))
        finding(
          `.changeset/${file}`,
          `it says ${bump}`,
          'a change is major, minor or patch',
          `edit .changeset/${file}`,
        );
    }
  }
  return found;
}

/** The changesets that wait for the next release. */
export function changesets(): { file: string; bumps: Map<string, Bump> }[] {
  const folder = join(root, '.changeset');
  const files = existsSync(folder)
    ? readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md')
    : [];
  return files.map((file) => {
    const [, head = ''] = textOf(`.changeset/${file}`).split('---\n');
    const lines = head.split('\n').filter((line) => line.trim() !== '');
    return {
      file,
      bumps: new Map(
        lines.map((line) => line.split(':').map((part) => part.trim().replace(/^['"]|['"]$/g, '')) as [string, Bump]),
      ),
    };
  });
}
