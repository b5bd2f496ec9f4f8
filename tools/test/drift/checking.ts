import { expect, test } from 'vitest';
import type { Check, Reported } from '../../drift/check.ts';
import { checks, runCheck } from '../../drift/checks.ts';
import { type Edits, openProject } from '../../drift/project.ts';
import type { PlantedDrift } from './planting.ts';

export const project = openProject();

/** The findings of each check in the unedited repository, and the files and folders that the check reads. */
const before = new Map<Check, Promise<{ findings: Reported[]; reads: Set<string> }>>();

export function foundBefore(check: Check) {
  const known = before.get(check) ?? observe(check);
  before.set(check, known);
  return known;
}

async function observe(check: Check) {
  const reads = new Set<string>();
  const findings = await runCheck(
    check,
    project.observed((path) => reads.add(path)),
  );
  return { findings, reads };
}

/** Whether a check reads any of the edited files. Otherwise its findings stay the same, because it depends only on what it reads. */
export async function readsAnyOf(check: Check, edits: Edits): Promise<boolean> {
  const { reads } = await foundBefore(check);
  return Object.keys(edits).some((file) => [...reads].some((path) => file === path || file.startsWith(`${path}/`)));
}

/** Tests that each edit leads to a new finding. The check stops at the first new finding. */
export function finds(planted: readonly PlantedDrift[]): void {
  test.each(planted.map((drift) => [drift.check, drift.name, drift] as const))('%s: %s', async (name, _, drift) => {
    const edits = await drift.edits(project);
    const check = checks.find((one) => one.name === name);
    if (!check) throw new Error(`there is no check ${name}`);
    expect(await readsAnyOf(check, edits)).toBe(true);
    const { findings } = await foundBefore(check);
    const found = await runCheck(check, project.with(edits), (all) => all.length > findings.length);
    expect(found).not.toEqual(findings);
    // An edit after which the check cannot run proves nothing. One edit has to throw 'early'.
    expect(found.filter(({ actual }) => /^it cannot be checked: (?!early$)/.test(actual))).toEqual([]);
  });
}
