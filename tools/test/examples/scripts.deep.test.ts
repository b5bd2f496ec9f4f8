// The examples in Node and in a shell do what their first lines say, and say what is wrong in one line. They compile.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { root, textOf } from '../../repository.ts';
import { run } from '../support/process.ts';
import { hasShell, newProject, newReader, type Reader } from '../support/reader.ts';

const nothing = 'http://127.0.0.1:1/v1';

test('the examples compile in a strict project that has the packages', async () => {
  const { folder, remove } = await newProject();
  onTestFinished(remove);
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'tools/node_modules/@types')],
  };
  const config = { compilerOptions, include: ['*.mjs', 'browser/*.js'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
  expect(await run(folder, process.env, process.execPath, compiler)).toBe('');
});

describe.skipIf(!hasShell)('on a server', () => {
  let reader: Reader;
  beforeEach(async () => {
    reader = await newReader();
    return reader.close;
  });

  const alert = (env: Record<string, string> = {}) => reader.run('./alert-none-available.sh', env);
  async function add(lines: string, env: Record<string, string> = {}) {
    await writeFile(join(reader.folder, 'some.csv'), lines);
    return reader.run('node add-pets.mjs some.csv', env);
  }

  test('add-pets.mjs adds a pet for each line, exactly, and lists those that are sold, over all pages', async () => {
    expect(await add('Rex,2,available\nTom, 1, sold\n\nIda,9223372036854775807\n')).toEqual({
      code: 0,
      output: 'added 1 Rex\nadded 2 Tom\nadded 3 Ida\nsold 2 Tom\n',
    });
    const { code, output } = await add(
      Array.from({ length: 101 }, (_, i) => `pet ${i},1,sold`).join('\n'),
    );
    expect(code).toBe(0);
    expect(output.match(/^sold \d+ pet \d+$/gm)).toHaveLength(101);
  });

  test('add-pets.mjs goes on after an invalid line, and reports its number', async () => {
    const { code, output } = await add('Rex,two\nTom,1,lost\nA,B,C,D\nIda,3,sold');
    expect(code).toBe(1);
    expect(output.split('\n')).toEqual([
      expect.stringContaining('some.csv:1: expected name'),
      expect.stringContaining("some.csv:2: body 'status': "),
      expect.stringContaining('some.csv:3: expected name'),
      'added 1 Ida',
      'sold 1 Ida',
      '',
    ]);
  });

  test.each([
    ['without a key', { PETSTORE_API_KEY: '' }, 'Set PETSTORE_API_KEY'],
    ['with another key', { PETSTORE_API_KEY: 'another-key' }, 'The service rejected the key. Set'],
    ['if nothing listens', { PETSTORE_BASE_URL: nothing }, 'some.csv:1: ConnectionError: '],
  ])('add-pets.mjs stops %s, and says why', async (_, env, reason) => {
    const { code, output } = await add('Rex,2', env);
    expect(code).toBe(2);
    expect(output.startsWith(reason), output).toBe(true);
    expect(output.trim().split('\n'), output).toHaveLength(1);
  });

  test('alert-none-available.sh prints one line if no pet is available, and else nothing, so that cron sends no mail', async () => {
    expect(await reader.run('sh -n alert-none-available.sh')).toEqual({ code: 0, output: '' });
    expect(await alert()).toEqual({ code: 10, output: 'Petstore: no pet is available.\n' });
    await reader.run('petctl pets create --name Ida --category-id 2 --status available --quiet');
    expect(await alert()).toEqual({ code: 0, output: '' });
  });

  test('alert-none-available.sh reports the exit code of petctl', async () => {
    const down = await alert({ PETCTL_RETRIES: '0', PETCTL_BASE_URL: nothing });
    expect([down.code, down.output]).toEqual([
      3,
      expect.stringContaining('petctl exited with 3. See its error above.\n'),
    ]);
    expect((await alert({ PETCTL_API_KEY: 'another-key' })).code).toBe(4);
    // cron searches only /usr/bin and /bin.
    expect(textOf('examples/alert-none-available.sh')).toContain(
      'PATH=/usr/local/bin:/usr/bin:/bin\n',
    );
  });
});
