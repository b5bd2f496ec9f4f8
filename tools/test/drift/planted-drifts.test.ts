import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checks } from '../../drift/checks.ts';
import { root } from '../../repository.ts';
import { finds, foundBefore } from './checking.ts';
import { planted } from './planted.ts';
import { plantedInPages } from './planted-pages.ts';
import { plantedInServer } from './planted-server.ts';

/** Two other test files plant these, so that several processes share the work. */
const others = new Set([...plantedInPages, ...plantedInServer]);

describe('the check finds', () => finds(planted.filter((drift) => !others.has(drift))));

test('turbo runs the checks again when a file that they read has changed', async () => {
  const command = ['tools/turbo.mjs', 'run', 'drift', '--filter=@petstore/tools', '--dry=json'];
  const plan = JSON.parse(execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8' }));
  const tasks: { directory: string; inputs: object }[] = plan.tasks;
  const inputs = tasks.flatMap(({ directory, inputs }) => Object.keys(inputs).map((file) => join(directory, file)));
  const known = [...inputs, ...Object.keys(plan.globalCacheInputs.files)];
  const reads = (await Promise.all(checks.map(foundBefore))).flatMap((check) => [...check.reads]);
  const files = reads.filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile());
  expect(files.filter((file) => !known.includes(file))).toEqual([]);
});
