import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { runCheck } from '../../drift/check.ts';
import { checks } from '../../drift/checks.ts';
import { finds, foundBefore, isSeenBy, project } from './checking.ts';
import { harmlessEdits } from './harmless-edits.ts';
import { planted } from './planted.ts';
import { plantedInServer } from './planted-server.ts';

/** The quick run takes every twentieth. */
const sampled = <T>(all: readonly T[]) => all.filter((_, i) => isDeep || i % 20 === 0);

describe('the check finds', () => finds(planted.filter((drift) => !plantedInServer.includes(drift))));

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
