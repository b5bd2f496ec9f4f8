import { expect, test } from 'vitest';
import type { Check, Reported } from '../../drift/check.ts';
import { checks, runCheck } from '../../drift/checks.ts';
import { type Edits, openProject } from '../../drift/project.ts';
import type { PlantedDrift } from './planting.ts';

export const project = openProject();

/** What each check finds in the repository as it is, and the files that it reads for that. */
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

/** Checks are functions of what they read: a check that reads none of the edited files finds what it found before. */
export async function readsAnyOf(check: Check, edits: Edits): Promise<boolean> {
  const { reads } = await foundBefore(check);
  return Object.keys(edits).some((file) => [...reads].some((path) => file === path || file.startsWith(`${path}/`)));
}

/** Requires a finding for each of these edits. One is enough, where there was none before. */
export function finds(planted: readonly PlantedDrift[]): void {
  test.each(planted.map((drift) => [drift.check, drift.name, drift] as const))('%s: %s', async (name, _, drift) => {
    const edits = await drift.edits(project);
    const check = checks.find((one) => one.name === name);
    if (!check) throw new Error(`there is no check ${name}`);
    expect(await readsAnyOf(check, edits)).toBe(true);
    const { findings } = await foundBefore(check);
    const found = await runCheck(check, project.with(edits), (all) => all.length > findings.length);
    expect(found).not.toEqual(findings);
    // An edit that breaks the code shows nothing. One is to throw 'early'.
    expect(found.filter(({ actual }) => /^it cannot be checked: (?!early$)/.test(actual))).toEqual([]);
  });
}
