import type { Check, Finding } from '../check.ts';
import { readSpec, type Spec } from '../openapi.ts';
import type { Project } from '../project.ts';
import { compareSpecs } from './breaking-changes/compare.ts';
import type { Change } from './breaking-changes/location.ts';
import { type Commands, compareNames, type Version } from './breaking-changes/names.ts';
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
    const base = { spec: readSpec(read), read: ifThere(read) };
    const current = { spec: project.spec, read: ifThere(project.read) };
    const announced = announcements(project, base);
    const everyPackage = manifestsOf(project).map((manifest) => manifest.name);
    return [
      ...compareSpecs(base.spec, current.spec, new Date().toISOString().slice(0, 10)),
      ...compareNames(base, current, await project.load<Commands>('petctl/internal')),
    ].flatMap((change) => {
      const { rule, where, detail, packages = everyPackage } = change;
      const level = bumpOf(change, project.spec);
      const lacking = packages.filter((packageName) => !announced(packageName, level));
      if (lacking.length === 0) return [];
      const expected = `a changeset with a ${level} change since ${name}`;
      const fix = `npx changeset, and choose ${level} for ${lacking.join(', ')}`;
      return [{ where, actual: `${rule}: ${detail}`, expected, fix }];
    });
  },
} satisfies Check;

/** Before 1.0.0 a minor version announces a break. */
function bumpOf({ level }: Change, { model }: Spec): Bump {
  return model.service.version.startsWith('0.') ? 'minor' : level;
}

/** Returns whether a change of a package is announced: by a new or edited changeset, or by the version of all packages. */
function announcements(project: Project, base: Version) {
  const changesets = changesetsOf(project).filter(({ file }) => base.read(file) !== project.read(file));
  const raised = raisedPart(base.spec.model.service.version, project.spec.model.service.version);
  return (name: string, level: Bump) =>
    [raised, ...changesets.map((changeset) => changeset.bumpByPackage.get(name))].some(
      (bump) => bump !== undefined && bumps.indexOf(bump) <= bumps.indexOf(level),
    );
}

/** The same function, which returns undefined for a file that does not exist. */
function ifThere(read: (file: string) => string): Version['read'] {
  return (file) => {
    try {
      return read(file);
    } catch {
      return undefined;
    }
  };
}

/** The part of the version that is higher than before. A release raises the version, and deletes the changesets. */
function raisedPart(before: string, after: string): Bump | undefined {
  const [parts, partsAfter] = [before.split('.'), after.split('.')];
  const changed = partsAfter.findIndex((part, i) => part !== parts[i]);
  return Number(partsAfter[changed]) > Number(parts[changed]) ? bumps[changed] : undefined;
}
