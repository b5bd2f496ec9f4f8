import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { petctlBundle } from 'petctl/build/bundle';
import { bundledPackages, licences } from 'petctl/build/licenses';
import { expect, test } from 'vitest';
import { root } from '../../repository.ts';

const commander = join(root, 'apps/petctl/node_modules/commander');

test('petctl is packed with the licence of every package that is bundled into it', async () => {
  const { sources } = await petctlBundle();
  const others = [...sources].filter((file) => file.includes('/node_modules/'));
  expect(others.length).toBeGreaterThan(0);
  const packages = bundledPackages(sources);
  for (const file of others)
    expect(
      packages.some(({ name }) => file.includes(`/node_modules/${name}/`)),
      file,
    ).toBe(true);
  const page = readFileSync(join(root, 'apps/petctl/dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(page).toBe(licences(packages));
  expect(page).toContain(readFileSync(join(commander, 'LICENSE'), 'utf8').trim());
});

test('a package without a licence is rejected in the bundle of petctl', () => {
  const folder = join(newFolder(), 'node_modules/@somebody/something');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"@somebody/something","version":"1.0.0","license":"MIT"}');
  expect(() => bundledPackages([join(folder, 'index.js')])).toThrow('has no licence');
  writeFileSync(join(folder, 'LICENSE'), 'Do what you like.\n');
  expect(licences(bundledPackages([join(folder, 'index.js')]))).toMatch(
    /@somebody\/something 1\.0\.0 \(MIT\)\n\nDo what you like\.\n$/,
  );
});
