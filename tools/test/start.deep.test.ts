import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { copyOfRepository } from './repository-copy.ts';

test('`npm start` generates once for a spec that the generator has to change', async () => {
  const copy = copyOfRepository();
  onTestFinished(() => copy.remove());
  copy.change('spec/openapi.yaml', (text) => `${text}\nx-one: &one { a: 1 }\nx-two: { <<: *one, b: 2 }\n`);
  for (const isGenerating of [true, false]) {
    const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: newFolder() };
    const child = spawn(process.execPath, [join(copy.folder, 'tools/start.mjs')], { env });
    onTestFinished(() => void child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    await expect.poll(() => output).toMatch(/listens on.*\n/);
    const [, origin] = /listens on +(http:\/\/[^/]+)/.exec(output) ?? [];
    const served = await fetch(`${origin}/openapi.json`);
    expect(await served.json()).toMatchObject({ 'x-two': { a: 1, b: 2 } });
    child.kill();
    expect(output.includes('wrote packages/types/src/gen/document.gen.ts')).toBe(isGenerating);
  }
});
