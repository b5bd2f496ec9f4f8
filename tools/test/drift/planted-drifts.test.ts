import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { type Check, type Reported, runCheck } from '../../drift/check.ts';
import { checks } from '../../drift/checks.ts';
import { type Edits, openProject } from '../../drift/project.ts';
import { harmlessEdits } from './harmless-edits.ts';
import { planted } from './planted.ts';
import { plantedInServer } from './planted-server.ts';

const project = openProject();

/** What each check finds in the repository as it is, and the files that it reads for that. */
const before = new Map<Check, Promise<{ findings: Reported[]; reads: Set<string> }>>();

function foundBefore(check: Check) {
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
async function isSeenBy(check: Check, edits: Edits): Promise<boolean> {
  const { reads } = await foundBefore(check);
  return Object.keys(edits).some((file) => [...reads].some((path) => file === path || file.startsWith(`${path}/`)));
}

/** The quick run takes every twentieth of those that need a server. */
const sampled = <T>(all: readonly T[]) => all.filter((_, i) => isDeep || i % 20 === 0);

const chosen = isDeep
  ? planted
  : planted.filter((drift) => !plantedInServer.includes(drift) || plantedInServer.indexOf(drift) % 20 === 0);

describe('the check finds', () => {
  test.each(chosen.map((drift) => [drift.check, drift.name, drift] as const))('%s: %s', async (name, _, drift) => {
    const edits = await drift.edits(project);
    const check = checks.find((one) => one.name === name);
    if (!check) throw new Error(`there is no check ${name}`);
    expect(await isSeenBy(check, edits)).toBe(true);
    expect(await runCheck(check, project.with(edits))).not.toEqual((await foundBefore(check)).findings);
  });
});

describe('no check finds anything in', () => {
  test.each(sampled(harmlessEdits).map((edit) => [edit.name, edit] as const))('%s', async (_, edit) => {
    const edits = await edit.edits(project);
    const edited = project.with(edits);
    let seeing = 0;
    for (const check of checks) {
      if (!(await isSeenBy(check, edits))) continue;
      seeing++;
      expect(await runCheck(check, edited)).toEqual((await foundBefore(check)).findings);
    }
    expect(seeing).toBeGreaterThan(0);
  });
});

test('turbo runs the checks again when a file that they read has changed', async () => {
  const command = ['tools/turbo.mjs', 'run', 'drift', '--filter=@petstore/tools', '--dry=json'];
  const plan = JSON.parse(execFileSync(process.execPath, command, { cwd: project.root, encoding: 'utf8' }));
  const tasks: { directory: string; inputs: object }[] = plan.tasks;
  const inputs = tasks.flatMap(({ directory, inputs }) => Object.keys(inputs).map((file) => join(directory, file)));
  const known = [...inputs, ...Object.keys(plan.globalCacheInputs.files)];
  const reads = (await Promise.all(checks.map(foundBefore))).flatMap((check) => [...check.reads]);
  const files = reads.filter((path) => statSync(join(project.root, path), { throwIfNoEntry: false })?.isFile());
  expect(files.filter((file) => !known.includes(file))).toEqual([]);
});
