import type { Check, Finding } from '../check.ts';
import { readSpec, type Spec, versionOf } from '../openapi.ts';
import type { Project } from '../project.ts';
import { compareSpecs } from './breaking-changes/compare.ts';
import { type Commands, compareNames, compareOtherNames, type ReadText } from './breaking-changes/names.ts';
import type { Change } from './breaking-changes/rules.ts';
import { type Bump, bumps, changesetsOf, manifestsOf } from './versions.ts';

export const breakingChanges = {
  name: 'breakingChanges',
  guarantee:
    'A changeset since the base, or a raised version, announces each change of the spec and each removed name, for every package that it affects. Breaks are major.',
  run: async (project: Project): Promise<Finding[]> => {
    const { name, read, problem } = project.base;
    if (problem) {
      const fix = 'fetch it, or name another in PETSTORE_BASE';
      return [{ where: name, actual: problem, expected: 'changes since then are announced', fix }];
    }
    if (!read) return [];
    const before = readSpec(read);
    const petctl = await project.load<Commands>('petctl/internal');
    const operationsOf = ({ model }: Spec) => model.operations.map(({ operation }) => operation);
    const [was, is] = [operationsOf(before), operationsOf(project.spec)];
    const inBase: ReadText = (file) => ifThere(() => read(file));
    const now: ReadText = (file) => ifThere(() => project.read(file));
    const announced = announcements(project, before, inBase);
    const everyPackage = manifestsOf(project).map((manifest) => manifest.name);
    return [
      ...compareSpecs(before, project.spec, new Date().toISOString().slice(0, 10)),
      ...compareNames(was, is, petctl),
      ...compareOtherNames({ spec: before, read: inBase }, { spec: project.spec, read: now }, petctl),
    ].flatMap((change) => {
      const { rule, where, detail, packages = everyPackage } = change;
      const level = bumpOf(change, project.spec);
      const lacking = packages.filter((one) => !announced(one, level));
      if (lacking.length === 0) return [];
      const expected = `since ${name} that is a ${level} change`;
      const fix = `npx changeset, and choose ${level} for ${lacking.join(', ')}`;
      return [{ where, actual: `${rule}: ${detail}`, expected, fix }];
    });
  },
} satisfies Check;

/** Before 1.0.0 a minor version announces a break. */
function bumpOf({ level }: Change, { root }: Spec): Bump {
  return versionOf(root).startsWith('0.') ? 'minor' : level;
}

/** Whether a change of a package is announced, by a changeset that the base lacks or by the version of all packages. */
function announcements(project: Project, before: Spec, inBase: ReadText) {
  const changesets = changesetsOf(project).filter(({ file }) => inBase(file) !== project.read(file));
  const raised = raisedPart(before, project.spec);
  return (name: string, level: Bump) =>
    [raised, ...changesets.map((one) => one.bumps.get(name))].some(
      (bump) => bump !== undefined && bumps.indexOf(bump) <= bumps.indexOf(level),
    );
}

function ifThere(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    // There is no such file.
    return undefined;
  }
}

/** The raised part of the version: a release raises it and deletes the changesets. */
function raisedPart(before: Spec, after: Spec): Bump | undefined {
  const [old, now] = [before, after].map(({ root }) => versionOf(root).split('.').map(Number));
  const changed = now?.findIndex((part, i) => part !== old?.[i]) ?? -1;
  return (now?.[changed] ?? 0) > (old?.[changed] ?? 0) ? bumps[changed] : undefined;
}
