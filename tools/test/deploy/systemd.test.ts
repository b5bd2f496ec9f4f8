import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, newFolder, skips } from '@petstore/testing';
import { runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { root, textOf } from '../../repository.ts';
import { stop } from '../support/process.ts';

const unit = textOf('apps/server/deploy/petstore.service');
const [, program = '', flags = ''] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? [];

/** The most that systemd calls well protected. */
const MAX_EXPOSURE = 20;

const WHAT = 'the unit of systemd';
const isElsewhere = skips(WHAT, process.platform === 'linux' ? undefined : 'systemd is a part of Linux');
const noSystemd = isElsewhere || skips(WHAT, missingProgram('systemd-analyze'), 'systemd');

test.skipIf(noSystemd)('systemd accepts the unit, and rates it as well protected', () => {
  const file = join(newFolder(), 'petstore.service');
  // It requires that the program exists.
  writeFileSync(file, unit.replace(program, process.execPath));
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
  const { status, stdout, stderr } = analyze('verify', '--man=no');
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  expect(analyze('security', '--offline=yes', `--threshold=${MAX_EXPOSURE}`).status).toBe(0);
});

test.skipIf(isElsewhere)('the server starts with the flags of the unit, and SIGTERM stops it', async () => {
  const main = join(root, 'apps/server/src/main.js');
  const args = flags
    .replace(/\$\{STATE_DIRECTORY\}/, newFolder())
    .replace('8080', '0')
    .split(' ');
  expect(args).toContain('--data-dir');
  const { child, greeting, ended } = runServer(main, { args, stdout: 'ignore' });
  onTestFinished(() => stop(child));
  await greeting;
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});
