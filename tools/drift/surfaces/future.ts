import { spawnSync } from 'node:child_process';
import type { Finding } from '../finding.ts';
import { compareSpecs } from '../future/compare.ts';
import { readSpec } from '../future/spec.ts';
import { root, spec } from '../root.ts';
import { changesets } from './versions.ts';

/** What the spec changes for those who use the interface is announced by a changeset of that weight. */
export function future(): Finding[] {
  const base = baseOf();
  const before = base && git('show', `${base}:spec/openapi.yaml`);
  if (!before) return [];
  const announced = new Set(changesets().flatMap(({ bumps }) => [...bumps.values()]));
  const covered = (level: 'major' | 'minor') => announced.has('major') || (level === 'minor' && announced.has('minor'));
  return compareSpecs(readSpec(before), spec, new Date().toISOString().slice(0, 10))
    .filter(({ level }) => !covered(level))
    .map(({ level, rule, where, what }) => ({
      surface: 'future',
      where,
      what: `${rule}: ${what}`,
      spec: `since ${base} that is a ${level} change`,
      mend: `npx changeset, and choose ${level}`,
    }));
}

/** What to compare with: the branch this one goes into, or else the last release. */
export function baseOf(): string | undefined {
  const { PETSTORE_BASE, GITHUB_BASE_REF } = process.env;
  const branch = PETSTORE_BASE ?? (GITHUB_BASE_REF && `origin/${GITHUB_BASE_REF}`);
  return branch ?? git('describe', '--tags', '--abbrev=0', '--match', '*@[0-9]*')?.trim();
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
