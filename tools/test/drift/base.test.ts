import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { breakingChanges } from '../../drift/checks/breaking-changes.ts';
import { findBase, openProject } from '../../drift/project.ts';
import { textOf } from '../../repository.ts';

const spec = textOf('spec/openapi.yaml');
const broken = spec.replace('maximum: 100', 'maximum: 50');
const extended = spec.replace('maximum: 100', 'maximum: 200');

let scratch: string;
let checkout: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'petstore-base-'));
  checkout = join(scratch, 'checkout');
  mkdirSync(join(checkout, 'spec'), { recursive: true });
});
afterEach(() => rmSync(scratch, { recursive: true, maxRetries: 3 }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
    cwd: checkout,
    stdio: 'pipe',
  });
const write = (text: string) => writeFileSync(join(checkout, 'spec/openapi.yaml'), text);
const commit = (text: string) => {
  write(text);
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '--allow-empty', '--message', 'A commit');
};
/** Makes the checkout a clone of a repository whose main branch has this spec. */
const cloneOf = (text: string) => {
  git('init', '--quiet', '--initial-branch=main');
  commit(text);
  git('clone', '--quiet', '--bare', checkout, join(scratch, 'origin'));
  git('remote', 'add', 'origin', join(scratch, 'origin'));
  git('fetch', '--quiet', 'origin');
};

const found = async (env: NodeJS.ProcessEnv = {}) => {
  const base = findBase(checkout, env);
  // This repository with the spec and the base of the checkout, and without its own changesets.
  const shipped = openProject();
  const without = Object.fromEntries(shipped.list('.changeset').map((file) => [file, undefined]));
  const spec = readFileSync(join(checkout, 'spec/openapi.yaml'), 'utf8');
  const edited = shipped.with({ ...without, 'spec/openapi.yaml': spec });
  const findings = await breakingChanges.run(Object.create(edited, { base: { value: base } }));
  return {
    base: base.name.replace(/ \([\da-f]{7}\)$/, ''),
    rules: findings.map(({ actual }) => actual.split(':')[0]),
  };
};
const narrowed = ['request bound narrowed'];

test('the upstream branch is the base', async () => {
  cloneOf(spec);
  git('push', '--quiet', '--set-upstream', 'origin', 'main:next');
  commit(broken);
  expect(await found()).toEqual({ base: 'origin/next', rules: narrowed });
});

test('without an upstream branch, origin/main is the base', async () => {
  cloneOf(spec);
  git('tag', 'petctl@1.0.0');
  commit(broken);
  expect(await found()).toEqual({ base: 'origin/main', rules: narrowed });
});

test('a later change of the upstream branch is no change of this branch', async () => {
  cloneOf(spec);
  commit(extended);
  git('push', '--quiet', 'origin', 'main');
  git('reset', '--quiet', '--hard', 'HEAD~1');
  commit(spec);
  expect(await found()).toEqual({ base: 'origin/main', rules: [] });
});

test('after a push, the last release is the base', async () => {
  cloneOf(spec);
  git('tag', 'petctl@1.0.0');
  commit(broken);
  git('push', '--quiet', '--set-upstream', 'origin', 'main');
  expect(await found()).toEqual({ base: 'petctl@1.0.0', rules: narrowed });
});

test('without a remote, the last release is the base', async () => {
  git('init', '--quiet');
  commit(spec);
  git('tag', 'petctl@1.0.0');
  commit(broken);
  expect(await found()).toEqual({ base: 'petctl@1.0.0', rules: narrowed });
});

test('without a release, the last commit is the base', async () => {
  git('init', '--quiet');
  commit(spec);
  write(broken);
  expect(await found()).toEqual({ base: 'HEAD', rules: narrowed });
});

test('a spec of more than 1 MiB is read from the base', async () => {
  git('init', '--quiet');
  commit(`${spec}# ${'x'.repeat(2 ** 20)}\n`);
  write(broken);
  expect(await found()).toEqual({ base: 'HEAD', rules: narrowed });
});

test('without git nothing is compared, and the name of the base says why', async () => {
  write(broken);
  expect(await found()).toEqual({ base: 'nothing, because this is no git repository with a commit', rules: [] });
});

test('the base that the environment names is preferred', async () => {
  cloneOf(broken);
  git('tag', 'before');
  commit(spec);
  expect(await found({ PETSTORE_BASE: 'HEAD' })).toEqual({ base: 'HEAD', rules: [] });
  expect(await found({ PETSTORE_BASE: 'before' })).toEqual({ base: 'before', rules: ['request bound widened'] });
  expect(await found({ GITHUB_BASE_REF: 'main' })).toEqual({ base: 'origin/main', rules: ['request bound widened'] });
});

test.each([{ PETSTORE_BASE: 'no-such-branch' }, { GITHUB_BASE_REF: 'no-such-branch' }])(
  'a base that does not exist is a finding: %o',
  async (env) => {
    cloneOf(spec);
    expect((await found(env)).rules).toEqual(['git finds no spec/openapi.yaml there']);
  },
);

test('turbo runs the check again if any base has moved, also without an upstream branch', async () => {
  const turbo = new URL('../../turbo.mjs', import.meta.url).href;
  const { driftInputs }: { driftInputs(cwd: string): string } = await import(turbo);
  cloneOf(spec);
  const moved = (...args: string[]) => {
    const before = driftInputs(checkout);
    git(...args);
    return driftInputs(checkout) !== before;
  };
  commit(spec);
  expect(moved('update-ref', 'refs/remotes/origin/main', 'HEAD')).toBe(true);
  expect(moved('tag', 'petctl@1.0.0')).toBe(true);
  expect(moved('branch', 'next', 'HEAD~1')).toBe(true);
  expect(moved('update-ref', 'refs/heads/next', 'HEAD')).toBe(true);
  expect(moved('status')).toBe(false);
});
