import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasShell, newWorld, type World } from '../docs/world.ts';

describe.skipIf(!hasShell)('add-animals.mjs', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });
  afterEach(() => world?.close());

  async function add(lines: string, settings: Record<string, string> = {}) {
    await writeFile(join(world.folder, 'some.csv'), lines);
    return world.run('node add-animals.mjs some.csv', settings);
  }

  test('adds what the lines say, and lists what is sold', async () => {
    expect(await add('Rex,2,available\nTom, 1, sold\n\nIda,3\n')).toEqual({
      code: 0,
      output: 'added 1 Rex\nadded 2 Tom\nadded 3 Ida\nsold 2 Tom\n',
    });
  });

  test('lists those of every page', async () => {
    const { code, output } = await add(Array.from({ length: 230 }, (_, i) => `pet ${i},1,sold`).join('\n'));
    expect(code).toBe(0);
    expect(output.match(/^sold \d+ pet \d+$/gm)).toHaveLength(230);
  });

  test('goes on after a line that cannot be right, and says which it was', async () => {
    expect(await add('Rex,two\nTom,1,lost\nA,B,C,D\nIda,3,sold')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^some\.csv:1: this is not name.*\nsome\.csv:2: body 'status': .*\nsome\.csv:3: this is not name.*\nadded 1 Ida\nsold 1 Ida\n$/,
      ),
    });
  });

  test('stops where the key is not known, and where nothing listens', async () => {
    expect(await add('Rex,2', { PETSTORE_API_KEY: 'another-key' })).toEqual({
      code: 2,
      output: 'The service does not take the key in PETSTORE_API_KEY.\n',
    });
    const { code, output } = await add('Rex,2', { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/^some\.csv:1: ConnectionError: .*Nothing behind this line/),
    ]);
  });

  test('says how it is called', async () => {
    expect(await world.run('node add-animals.mjs')).toEqual({
      code: 2,
      output: expect.stringContaining('Which file?'),
    });
  });
});
