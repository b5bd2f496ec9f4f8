import { service } from '@petstore/types';
import { expect, test } from 'vitest';
import { petctl, unreachable } from './petctl.ts';

/** The base URL of a request, or the error. */
const target = async (args: string[], env: Record<string, string> = {}) => {
  const { stdout, stderr } = await petctl(['pets', 'list', '--dry-run', ...args], { env });
  return stderr || stdout.split('\n')[0]?.replace('GET ', '').replace('/pets', '');
};

test('a flag overrides the environment, which overrides the default', async () => {
  const { production, staging } = service.deployments;
  expect(await target([])).toBe(production);
  expect(await target([], { PETCTL_DEPLOYMENT: 'staging' })).toBe(staging);
  expect(await target([], { PETCTL_BASE_URL: 'http://env/v1/' })).toBe('http://env/v1');
  expect(await target(['--deployment', 'production'], { PETCTL_BASE_URL: 'http://env/v1' })).toBe(production);
  expect(await target(['--base-url', 'http://flag/v1'], { PETCTL_DEPLOYMENT: 'staging' })).toBe('http://flag/v1');
  expect(await target([], { PETCTL_DEPLOYMENT: 'staging', PETCTL_BASE_URL: 'http://env/v1' })).toContain(
    'PETCTL_BASE_URL and PETCTL_DEPLOYMENT both',
  );
});

test('errors are JSON also if the environment sets the output to JSON', async () => {
  const env = { ...unreachable, PETCTL_OUTPUT: 'json' };
  const { stderr } = await petctl(['pets', 'list', '--limit', '0'], { env });
  expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 2 } });
  expect((await petctl(['pets', 'list', '--limit', '0', '-o', 'tsv'], { env })).stderr).toMatch(/^petctl: /);
});

test.each([
  ['PETCTL_TIMEOUT', 'x'],
  ['PETCTL_OUTPUT', 'x'],
  ['PETCTL_RETRIES', '1.5'],
  ['PETCTL_BASE_URL', 'x'],
])('%s=%s is an error that names the variable', async (name, value) => {
  expect(await petctl(['pets', 'list', '--dry-run'], { env: { [name]: value } })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`${name}: '${value}' is not valid`),
  });
});

test('help and completion work in spite of an invalid setting', async () => {
  const env = { PETCTL_OUTPUT: 'nope' };
  expect(await petctl(['pets', 'list', '--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  const completed = await petctl(['__complete', 'pets', 'l'], { env });
  expect(completed).toMatchObject({ code: 0, stdout: expect.stringContaining('list') });
});
