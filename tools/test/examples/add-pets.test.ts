import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rounds } from '@petstore/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Fixture, hasShell, newFixture } from '../support/fixture.ts';

describe.skipIf(!hasShell)('add-pets.mjs', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await newFixture();
    return fixture.close;
  });

  async function add(lines: string, env: Record<string, string> = {}) {
    await writeFile(join(fixture.folder, 'some.csv'), lines);
    return fixture.run('node add-pets.mjs some.csv', env);
  }

  test('adds a pet for each line, and lists those that are sold', async () => {
    expect(await add('Rex,2,available\nTom, 1, sold\n\nIda,3\n')).toEqual({
      code: 0,
      output: 'added 1 Rex\nadded 2 Tom\nadded 3 Ida\nsold 2 Tom\n',
    });
  });

  test('lists the pets of every page', async () => {
    const count = rounds(101, 230);
    const { code, output } = await add(Array.from({ length: count }, (_, i) => `pet ${i},1,sold`).join('\n'));
    expect(code).toBe(0);
    expect(output.match(/^sold \d+ pet \d+$/gm)).toHaveLength(count);
  });

  test('continues after an invalid line, and reports its number', async () => {
    expect(await add('Rex,two\nTom,1,lost\nA,B,C,D\nIda,3,sold')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^some\.csv:1: expected name.*\nsome\.csv:2: body 'status': .*\nsome\.csv:3: expected name.*\nadded 1 Ida\nsold 1 Ida\n$/,
      ),
    });
  });

  test('stops if the key is not accepted, and if nothing listens', async () => {
    expect(await add('Rex,2', { PETSTORE_API_KEY: 'another-key' })).toEqual({
      code: 2,
      output: 'The service rejected the key. Set another one in PETSTORE_API_KEY.\n',
    });
    const { code, output } = await add('Rex,2', { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/^some\.csv:1: ConnectionError: .*No later line was added/),
    ]);
  });

  test.each([
    ['without a key', 'pets.csv', { PETSTORE_API_KEY: '' }, /^Set PETSTORE_API_KEY\b.*\n$/],
    ['without its file', 'none.csv', {}, /^Error: ENOENT.*none\.csv.*\n$/],
    ['if the list fails', '/dev/null', { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' }, /^ConnectionError: .*\n$/],
  ])('stops %s, with the reason in one line', async (_, file, env, reason) => {
    expect(await fixture.run(`node add-pets.mjs ${file}`, env as Record<string, string>)).toEqual({
      code: 2,
      output: expect.stringMatching(reason),
    });
  });

  test('adds a pet whose category is any int64', async () => {
    expect(await add('Rex,-9223372036854775808\nTom,9223372036854775807,sold\nIda,9223372036854775808')).toEqual({
      code: 1,
      output: expect.stringMatching(/^added 1 Rex\nadded 2 Tom\nsome\.csv:3: body 'categoryId'.*\nsold 2 Tom\n$/),
    });
  });

  test('prints its usage without a file', async () => {
    expect(await fixture.run('node add-pets.mjs')).toEqual({
      code: 2,
      output: expect.stringContaining('Name a file:'),
    });
  });
});
