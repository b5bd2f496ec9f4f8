import { isDeep } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { checks, runCheck } from '../../drift/checks.ts';
import { foundBefore, project, readsAnyOf } from './checking.ts';
import { harmlessEdits } from './harmless-edits.ts';

/** The quick run takes every twentieth. */
const sampled = harmlessEdits.filter((_, i) => isDeep || i % 20 === 0);

describe('no check finds anything in', () => {
  test.each(sampled.map((edit) => [edit.name, edit] as const))('%s', async (_, edit) => {
    const edits = await edit.edits(project);
    const edited = project.with(edits);
    let concerned = 0;
    for (const check of checks) {
      if (!(await readsAnyOf(check, edits))) continue;
      concerned++;
      expect(await runCheck(check, edited)).toEqual((await foundBefore(check)).findings);
    }
    expect(concerned).toBeGreaterThan(0);
  });
});
