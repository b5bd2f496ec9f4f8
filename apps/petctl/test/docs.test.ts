import { rounds } from '@petstore/testing';
import { operations } from '@petstore/types';
import { expect, test } from 'vitest';
import { fullTree } from '../src/commands/tree.ts';
import { exitCodes } from '../src/io/errors.ts';
import { walk } from '../src/parse/command.ts';
import { petctl } from './petctl.ts';

const root = fullTree();

const paths = [...walk(root)].map(({ path }) => [path]);

test.each(
  rounds(
    paths.filter((_, i) => i % 4 === 0),
    paths,
  ),
)('--help and help print the same for %j', async (path) => {
  const { code, stdout, stderr } = await petctl([...path, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`petctl ${path.join(' ')}`.trim());
  expect((await petctl(['help', ...path])).stdout).toBe(stdout);
});

test('help prints all exit codes', async () => {
  const { stdout } = await petctl(['--help']);
  for (const { exit, meaning } of Object.values(exitCodes))
    expect(stdout).toMatch(new RegExp(`^ +${exit} +${meaning.slice(0, 10)}`, 'm'));
});

test('help shows ranges, server defaults and deprecations', async () => {
  const { minimum, maximum, default: size } = operations.listPets.fields.limit.schema;
  const helpOf = async (...path: string[]) => (await petctl([...path, '--help'])).stdout.replaceAll(/\s+/g, ' ');
  expect(await helpOf('pets', 'list')).toContain(`from ${minimum} to ${maximum}; server default: ${size}`);
  expect(await helpOf('pets', 'get')).toContain(
    `Deprecated: may be removed from ${operations.getPet.sunset} on. Use 'petctl pets list' instead.`,
  );
});
