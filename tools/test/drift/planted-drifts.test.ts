import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Reported, runCheck } from '../../drift/check.ts';
import { checks } from '../../drift/checks.ts';
import { type Edits, openProject } from '../../drift/project.ts';
import { harmlessEdits, plantedDrifts } from './planted-drifts.ts';

const project = openProject();

/** What each check finds in the repository as it is, and the files that it reads for that. */
const before = new Map<string, { findings: Reported[]; reads: Set<string> }>();

beforeAll(async () => {
  for (const check of checks) {
    const reads = new Set<string>();
    const findings = await runCheck(
      check,
      project.observed((path) => reads.add(path)),
    );
    before.set(check.name, { findings, reads });
  }
});

/** Checks are functions of what they read: a check that reads none of the edited files finds what it found before. */
const isSeenBy = (check: string, edits: Edits) => {
  const reads = [...(before.get(check)?.reads ?? [])];
  return Object.keys(edits).some((file) => reads.some((path) => file === path || file.startsWith(`${path}/`)));
};

describe('the check finds', () => {
  test.each(plantedDrifts.map((drift) => [drift.check, drift.name, drift] as const))(
    '%s: %s',
    async (name, _, drift) => {
      const edits = await drift.edits(project);
      const check = checks.find((one) => one.name === name);
      if (!check) throw new Error(`there is no check ${name}`);
      expect(isSeenBy(name, edits)).toBe(true);
      expect(await runCheck(check, project.with(edits))).not.toEqual(before.get(name)?.findings);
    },
  );
});

describe('no check finds anything in', () => {
  test.each(harmlessEdits.map((edit) => [edit.name, edit] as const))('%s', async (_, edit) => {
    const edits = await edit.edits(project);
    const edited = project.with(edits);
    const seeing = checks.filter(({ name }) => isSeenBy(name, edits));
    expect(seeing).not.toEqual([]);
    for (const check of seeing) expect(await runCheck(check, edited)).toEqual(before.get(check.name)?.findings);
  });
});

test('turbo runs the checks again when a file that they read has changed', () => {
  const command = ['tools/turbo.mjs', 'run', 'drift', '--filter=@petstore/tools', '--dry=json'];
  const plan = JSON.parse(execFileSync(process.execPath, command, { cwd: project.root, encoding: 'utf8' }));
  const tasks: { directory: string; inputs: object }[] = plan.tasks;
  const inputs = tasks.flatMap(({ directory, inputs }) => Object.keys(inputs).map((file) => join(directory, file)));
  const known = [...inputs, ...Object.keys(plan.globalCacheInputs.files)];
  const reads = [...before.values()].flatMap((check) => [...check.reads]);
  const files = reads.filter((path) => statSync(join(project.root, path), { throwIfNoEntry: false })?.isFile());
  expect(files.filter((file) => !known.includes(file))).toEqual([]);
});
