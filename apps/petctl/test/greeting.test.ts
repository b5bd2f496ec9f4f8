import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { missingShell, skips } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { scratch } from './petctl.ts';

const root = join(import.meta.dirname, '../../..');

const hasNoShell = skips('The command that `npm start` prints', missingShell);

test.skipIf(hasNoShell)('the command that `npm start` prints works', async () => {
  const server = spawn(process.execPath, [join(root, 'apps/server/src/main.js')], {
    env: {
      ...process.env,
      PORT: '0',
      PETSTORE_DATA_DIR: mkdtempSync(join(scratch, 'data-')),
      PETSTORE_LOG_LEVEL: 'silent',
    },
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await once(server, 'close');
  });
  const line = await new Promise<string>((done) => {
    let stderr = '';
    server.stderr.on('data', (text) => {
      stderr += text;
      const [found] = /PETCTL_API_KEY=.*petctl .*pets list(?=\n)/.exec(stderr) ?? [];
      if (found) done(found);
    });
  });
  const env = { PATH: process.env.PATH, HOME: scratch };
  const stderr = await new Promise((done) =>
    execFile('sh', ['-c', line], { cwd: root, env }, (error, _, text) =>
      done(error ? `${error}` : text.replaceAll(/^npm .*\n/gm, '')),
    ),
  );
  expect(stderr).toBe('');
});
