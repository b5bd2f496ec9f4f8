import type { Check } from '../check.ts';
import { readSpec, type Spec, versionOf } from '../openapi.ts';
import { compareSpecs } from './breaking-changes/compare.ts';
import { type Commands, compareNames } from './breaking-changes/names.ts';
import { type Bump, bumps, changesetsOf } from './versions.ts';

export const breakingChanges: Check = {
  name: 'breakingChanges',
  guarantee:
    'A changeset, or a raised version, announces each change of the spec since the base, and a break as major.',
  run: async (project) => {
    const { name, read, problem } = project.base;
    if (problem) {
      const fix = 'fetch it, or name another in PETSTORE_BASE';
      return [{ where: name, actual: problem, expected: 'changes since then are announced', fix }];
    }
    if (!read) return [];
    const before = readSpec(read);
    const announced = changesetsOf(project).flatMap((changeset) => [...changeset.bumps.values()]);
    const bumped = new Set([...announced, raisedPart(before, project.spec)]);
    const isAnnounced = (level: 'major' | 'minor') => bumped.has('major') || (level === 'minor' && bumped.has('minor'));
    const petctl = await project.load<Commands>('petctl/internal');
    const [was, is] = [before, project.spec].map(({ model }) => model.rows.map(({ operation }) => operation));
    return [
      ...compareSpecs(before, project.spec, new Date().toISOString().slice(0, 10)),
      ...compareNames(was ?? [], is ?? [], petctl),
    ]
      .filter(({ level }) => !isAnnounced(level))
      .map(({ level, rule, where, detail }) => ({
        where,
        actual: `${rule}: ${detail}`,
        expected: `since ${name} that is a ${level} change`,
        fix: `npx changeset, and choose ${level}`,
      }));
  },
};

/** The part of the version that was raised: a release replaces the changesets by it. */
function raisedPart(before: Spec, after: Spec): Bump | undefined {
  const [old, now] = [before, after].map(({ root }) => versionOf(root).split('.').map(Number));
  const changed = now?.findIndex((part, i) => part !== old?.[i]) ?? -1;
  return (now?.[changed] ?? 0) > (old?.[changed] ?? 0) ? bumps[changed] : undefined;
}
