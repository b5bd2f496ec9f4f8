import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, rounds, skips } from '@petstore/testing';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { manPages, markdown } from '../src/commands/help/pages.ts';
import { fullTree } from '../src/commands/tree.ts';
import { walk } from '../src/parse/command.ts';
import { built } from './build.ts';
import { petctl } from './petctl.ts';

const root = fullTree();

test('docs/petctl.md is up to date; `npm run docs` in apps/petctl writes it', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/petctl.md'), 'utf8')).toBe(markdown(root));
});

test('a man page shows quotes, dashes, names and spaces as they are typed', () => {
  for (const page of manPages(root, '1.0.0').values()) {
    const [, text = ''] = page.split('\n.nh\n.ad l\n');
    expect(text).toContain('.SH NAME');
    expect(text).not.toMatch(/['`^~]|[^\\]-/);
  }
});

test('every command has a man page, which package.json lists', () => {
  const names = [...walk(root)].map(({ path }) => `${['petctl', ...path].join('-')}.1`);
  expect(readdirSync(join(built(), 'man')).toSorted()).toEqual(names.toSorted());
  expect(manifest.man).toEqual(names.map((name) => `./dist/man/${name}`));
});

const hasNoMan = skips('The man pages', missingProgram('man'), 'man-db');

test.skipIf(hasNoMan)('man shows the man pages without warnings', () => {
  const pages = readdirSync(join(built(), 'man'));
  for (const page of rounds(pages.slice(0, 3), pages)) {
    const text = execFileSync('man', ['--warnings', '-l', join(built(), 'man', page)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, MANPAGER: 'cat', MANWIDTH: '100', LC_ALL: 'C.UTF-8' },
    });
    expect(text).toContain('SYNOPSIS');
  }
});

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

test.each(['exit-codes', 'environment', 'formatting', 'inputs'])('help %s prints the topic', async (topic) => {
  const { code, stdout, stderr } = await petctl(['help', topic]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').length).toBeGreaterThan(5);
});
