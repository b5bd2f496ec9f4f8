import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { missingShell, skips } from '@petstore/testing';
import { runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { scratch } from './petctl.ts';

const root = join(import.meta.dirname, '../../..');

const hasNoShell = skips('The command that `npm start` prints', missingShell);

test.skipIf(hasNoShell)('the command that `npm start` prints works', async () => {
  const { child, greeting, stderr } = runServer(join(root, 'apps/server/src/main.js'), {
    env: {
      ...process.env,
      PORT: '0',
      PETSTORE_DATA_DIR: mkdtempSync(join(scratch, 'data-')),
    },
    stdout: 'ignore',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  await greeting;
  const [line = ''] = /PETCTL_API_KEY=.*petctl .*pets list(?=\n)/.exec(stderr()) ?? [];
  const env = { PATH: process.env.PATH, HOME: scratch };
  const errors = await new Promise((done) =>
    execFile('sh', ['-c', line], { cwd: root, env }, (error, _, text) =>
      done(error ? `${error}` : text.replaceAll(/^npm .*\n/gm, '')),
    ),
  );
  expect(errors).toBe('');
});
