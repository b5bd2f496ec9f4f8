import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'packaging-'));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });

beforeAll(() => {
  for (const folder of ['packages/types', 'packages/client', 'apps/petctl']) {
    execFileSync('pnpm', ['pack', '--pack-destination', project], {
      cwd: join(root, folder),
      stdio: 'pipe',
      shell: process.platform === 'win32',
    });
  }
  const tarballs = readdirSync(project).filter((file) => file.endsWith('.tgz'));
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  run('npm', 'install', '--no-audit', '--no-fund', ...tarballs.map((file) => `./${file}`));
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packages, packed and installed with npm in an empty project', () => {
  test('hold built code and nothing else', () => {
    const files = readdirSync(join(project, 'node_modules/@petstore/client'), { recursive: true, encoding: 'utf8' });
    expect(files).toContain(join('dist', 'index.js'));
    expect(files.filter((file) => file.startsWith('src') || file.startsWith('test'))).toEqual([]);
  });

  test('can be imported', () => {
    writeFileSync(
      join(project, 'use.js'),
      "import { petstore } from '@petstore/client';\nimport { operations } from '@petstore/types';\nconsole.log(Object.keys(petstore({ apiKey: 'k' })).sort().join() === Object.keys(operations).sort().join());\n",
    );
    expect(run(process.execPath, 'use.js')).toBe('true\n');
  });

  test('bring types that a strict project accepts', () => {
    writeFileSync(
      join(project, 'use.ts'),
      "import { type Pet, petstore } from '@petstore/client';\nexport const pets: Promise<Pet[]> = petstore({ apiKey: 'k' }).listPets({ status: 'sold' });\n",
    );
    const tsc = join(root, 'tools/node_modules/.bin/tsc');
    expect(run(tsc, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'use.ts')).toBe('');
  });

  test('bring the petctl command', () => {
    const bin = join(project, 'node_modules/.bin/petctl');
    expect(run(bin, 'pets', 'list', '--help')).toContain('--status');
  });
});
