import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeep, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { checks } from '../../drift/checks.ts';
import { root } from '../../repository.ts';

const drift = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(root, 'tools/drift/main.ts'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });

test('--explain prints what each check guarantees', () => {
  const { status, stdout } = drift(['--explain']);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => line.replace(/ {2,}/, ': '))).toEqual(
    checks.map(({ name, guarantee }) => `${name}: ${guarantee}`),
  );
  expect(status).toBe(0);
});

test('findings fail the command, and are annotations in a GitHub workflow', () => {
  const names = rounds(['breakingChanges'], []);
  const { status, stdout } = drift(names, { PETSTORE_BASE: 'no-such-branch', GITHUB_ACTIONS: 'true' });
  expect(stdout.split('\n')).toContain(
    '::error title=drift in breakingChanges::breakingChanges: no-such-branch: git finds no spec/openapi.yaml there; expected: changes since then are announced; fix: fetch it, or name another in PETSTORE_BASE',
  );
  // The programs that the docs check runs ignore the variables.
  expect(stdout).not.toContain('drift in docs');
  expect(status).toBe(1);
});

test('one check prints nothing about other checks', () => {
  const { status, stdout } = drift(['versions']);
  expect([status, stdout]).toEqual([0, 'Nothing drifts from spec/openapi.yaml.\n']);
});

if (isDeep) {
  test('an unknown option is rejected in one line', () => {
    const { status, stderr } = drift(['--jsn']);
    expect(stderr).toMatch(/^Unknown option '--jsn'.*\n$/);
    expect(status).toBe(1);
  });

  test('an unknown check is rejected with the names of the checks', () => {
    const { status, stderr } = drift(['breaking-changes']);
    expect(stderr).toMatch(/^There is no check 'breaking-changes'; there are spec, .*\n$/);
    expect(status).toBe(1);
  });
}
