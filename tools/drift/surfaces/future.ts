import { spawnSync } from 'node:child_process';
import type { Finding } from '../finding.ts';
import { compareSpecs } from '../future/compare.ts';
import { type Node, node, readSpec } from '../future/spec.ts';
import { root, spec } from '../root.ts';
import { type Bump, changesets } from './versions.ts';

/**
 * What the spec changes for those who use the interface is announced by a changeset of that weight, or by the version,
 * once that has taken the place of the changesets.
 */
export function future(): Finding[] {
  const base = baseOf();
  const text = base && git('show', `${base}:spec/openapi.yaml`);
  if (!text) return [];
  const before = readSpec(text);
  const waiting = changesets().flatMap(({ bumps }) => [...bumps.values()]);
  const announced = new Set([...waiting, rise(before, spec)]);
  const covered = (level: 'major' | 'minor') => announced.has('major') || (level === 'minor' && announced.has('minor'));
  return compareSpecs(before, spec, new Date().toISOString().slice(0, 10))
    .filter(({ level }) => !covered(level))
    .map(({ level, rule, where, what }) => ({
      surface: 'future',
      where,
      what: `${rule}: ${what}`,
      spec: `since ${base} that is a ${level} change`,
      mend: `npx changeset, and choose ${level}`,
    }));
}

/** By what the version has risen. */
function rise(before: Node, after: Node): Bump | undefined {
  const [old, now] = [before, after].map(({ info }) => String(node(info).version).split('.').map(Number));
  const place = now?.findIndex((part, i) => part !== old?.[i]) ?? -1;
  return (now?.[place] ?? 0) > (old?.[place] ?? 0) ? (['major', 'minor', 'patch'] as const)[place] : undefined;
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
