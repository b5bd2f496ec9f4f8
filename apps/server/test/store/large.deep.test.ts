// A store that is larger than the longest string of JavaScript.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';

test('an export that is larger than memory for one string is read and written in pieces', {
  timeout: 600_000,
}, async () => {
  // More than V8's longest string in all, with a small heap for everything else.
  const program = `
    const { openLowdbStore, readLowdbFolder } = await import(${JSON.stringify(new URL('../../src/store/lowdb.ts', import.meta.url).href)});
    const { exportLines } = await import(${JSON.stringify(new URL('../../src/transfer.ts', import.meta.url).href)});
    const declarations = [{ name: 'things', id: 'key', filters: [] }];
    const store = await openLowdbStore(process.argv[1], declarations);
    const text = 'x'.repeat(1e6);
    for (let i = 0; i < 600; i += 20) await Promise.all(Array.from({ length: 20 }, () => store.collection('things').create({ text })));
    await store.close();
    let size = 0;
    for await (const piece of exportLines(await readLowdbFolder(process.argv[1], declarations), declarations)) size += piece.length;
    console.log(size > 6e8);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
    newFolder(),
  ]);
  expect(stdout).toBe('true\n');
});
