import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingShell, skips } from '@petstore/testing';
import { expect, test } from 'vitest';
import { binary, scratch } from './petctl.ts';
import { apiKey, startService } from './service.ts';

/** Runs the script of a cron job, with an empty environment. */
function nightly(folder: string, programs: string): Promise<{ code: unknown; output: string }> {
  const script = join(import.meta.dirname, 'nightly.sh');
  return new Promise((done) => {
    execFile('/bin/sh', [script, folder, programs], { env: {} }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

const hasNoShell = skips('petctl in a cron job', missingShell);

test.skipIf(hasNoShell)('a cron job prints nothing, and a second run adds nothing twice', async () => {
  const { baseUrl } = await startService();
  const folder = mkdtempSync(join(scratch, 'nightly-'));
  const programs = join(folder, 'bin');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  for (const name of ['bin', 'deliveries', 'done']) mkdirSync(join(folder, name));
  symlinkSync(process.execPath, join(programs, 'node'));
  symlinkSync(binary, join(programs, 'petctl'));
  write('key', `${apiKey}\n`);
  write('url', `${baseUrl}\n`);
  const rows = Array.from({ length: 300 }, (_, i) => `Pet ${i},${i % 8},${i % 3 === 0 ? 'available' : 'sold'}\n`);
  write('deliveries/a.csv', `name,categoryId,status\n${rows.join('')}`);
  write('deliveries/b.csv', 'name,categoryId,status\nBad,x,sold\nGood,7,pending\n');

  expect(await nightly(folder, programs)).toEqual({ code: 0, output: '' });
  expect(read('stock.tsv')).toBe('available\t100\npending\t1\nsold\t200\n');
  expect(read('backup.csv').split('\n')).toHaveLength(303);
  expect(read('category-7.txt').trimEnd().split('\n')).toHaveLength(10);
  expect(read('category-7.txt')).toMatch(/^301\tGood$/m);
  expect(read('alerts')).toContain(
    'nightly: 2 lines of deliveries/b.csv were not added: {"error":{"code":"partial","message":"1 created, 1 failed."',
  );
  expect(existsSync(join(folder, 'done/a.csv'))).toBe(true);

  // The same delivery again, as after an interrupted job.
  write('deliveries/a.csv', read('done/a.csv'));
  expect(await nightly(folder, programs)).toEqual({ code: 0, output: '' });
  expect(read('stock.tsv')).toBe('available\t100\npending\t1\nsold\t200\n');

  write('key', 'another-key\n');
  write('deliveries/a.csv', read('done/a.csv'));
  expect(await nightly(folder, programs)).toEqual({ code: 77, output: '' });
  expect(read('alerts')).toContain('nightly: the key is rejected\n');
  write('key', `${apiKey}\n`);
  write('url', 'http://127.0.0.1:1/v1\n');
  expect((await nightly(folder, programs)).code).toBe(75);
});
