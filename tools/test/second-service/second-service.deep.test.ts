import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { afterAll, describe, expect, test } from 'vitest';
import { copyOfRepository } from '../repository-copy.ts';

/**
 * A service of its own: a spec, its collections, its handlers and their test. Everything else is the repository's, so
 * whatever is about pets elsewhere does not compile, or does not respond.
 */
const overlay = join(import.meta.dirname, 'overlay');

const copy = copyOfRepository();
afterAll(() => copy.remove());
cpSync(overlay, copy.folder, { recursive: true });
copy.generate();
execFileSync(process.execPath, ['build/main.ts'], { cwd: join(copy.folder, 'apps/petctl') });

describe('a second service, built in a copy of the repository', () => {
  test.each([
    ['packages/client', 'src'],
    ['apps/petctl', 'src'],
    ['apps/server', 'src'],
    ['apps/server', 'test/library.ts'],
  ])('%s compiles: %s', (name, include) => {
    const folder = join(copy.folder, name);
    const config = { extends: './tsconfig.json', include: [include] };
    writeFileSync(join(folder, 'tsconfig.second.json'), JSON.stringify(config));
    const compiler = join(folder, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '--project', 'tsconfig.second.json', '--pretty', 'false'];
    expect(spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout).toBe('');
  });

  test('only the pages drift from its spec', () => {
    expect(copy.drift().filter(({ check }) => check !== 'docs')).toEqual([]);
  });
});

type NewEnvironment = () => Record<string, string> | Promise<Record<string, string>>;
const { describeLibrary }: { describeLibrary(what: string, newEnvironment: NewEnvironment): void } = await import(
  join(copy.folder, 'apps/server/test/library.ts')
);

const data = newFolder('library', afterAll);
let stores = 0;
describeLibrary('the library in a data folder', () => ({ PETSTORE_DATA_DIR: join(data, String(++stores)) }));

describeOnSchema('the library on PostgreSQL', (newSchema) =>
  describeLibrary('in a schema of its own', async () => ({ DATABASE_URL: await newSchema() })),
);
