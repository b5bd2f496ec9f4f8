import { type StdioOptions, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { newFolder, rounds, skips } from '@petstore/testing';
import { runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { beginRequest } from './http/wire.ts';
import { main, preload } from './server-process.ts';

/** Runs the command line as a process of its own. */
function run(dataDir: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const defaults = { PETSTORE_DATA_DIR: dataDir, PETSTORE_LOG_LEVEL: 'silent', PORT: '0' };
  const { child, greeting, stderr } = runServer(main, {
    args,
    cwd: dataDir,
    env: { ...process.env, ...defaults, ...env },
  });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr: stderr() }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, greeting, stderr, ended };
}

/** The output of `keys` with these arguments. */
const keys = (dataDir: string, ...argv: string[]) => run(dataDir, ['keys', ...argv]).ended;

const statusWith = async (url: string, key: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;

test('prints lines that work when pasted, and the new key only once', async () => {
  const folder = newFolder();
  const first = run(folder);
  const { key, url } = await first.greeting;
  expect(await statusWith(url, key)).toBe(200);
  expect(first.stderr()).toContain(`${new URL('/docs', url)}\n`);
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(key);
  first.child.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 0, stdout: '' });

  const second = run(folder);
  await second.greeting;
  second.child.kill('SIGTERM');
  const { code, stderr } = await second.ended;
  expect(code).toBe(0);
  expect(stderr).toContain(`petstore-server keys create --data-dir ${folder}\n`);
  expect(stderr).not.toContain('pk_');
});

test('the command for another key names the folder of the deployment', async () => {
  const env = { PETSTORE_DATA_DIR: undefined };
  const folder = newFolder();
  for (const line of ['API key, made just now', 'petstore-server keys create --data-dir data-staging\n']) {
    const { child, greeting, ended } = run(folder, ['--deployment', 'staging'], env);
    await greeting;
    child.kill('SIGTERM');
    expect((await ended).stderr).toContain(line);
  }
});

test('applies keys that are created and revoked while it runs', async () => {
  const folder = newFolder();
  const { greeting } = run(folder);
  const { key, url } = await greeting;
  const created = await keys(folder, 'create', '--name', 'ci');
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pk_\S+\n$/) });
  expect(created.stderr).toContain("Created the key 'ci'");
  const ci = created.stdout.trim();
  await vi.waitFor(async () => expect(await statusWith(url, ci)).toBe(200), 10_000);

  const listed = await keys(folder, 'list');
  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^first\t\S+Z\nci\t\S+Z\n$/) });
  expect(await keys(folder, 'revoke', 'first')).toMatchObject({ code: 0, stdout: '' });
  await vi.waitFor(async () => expect(await statusWith(url, key)).toBe(401), 10_000);
  expect(await keys(folder, 'revoke', 'first')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'petstore-server: There is no key of that name; the names are: ci.\n',
  });
  expect((await keys(folder, 'revoke', 'ci')).stderr).toContain('no key is valid');
});

test('uses only the keys of the environment if there are any, and shows none', async () => {
  const folder = newFolder();
  const key = 'a-key-that-is-for-tests';
  const { child, greeting, ended } = run(folder, [], {
    PETSTORE_API_KEYS: `other=some-other-key-for-tests,ci=${key},ab`,
  });
  const { url } = await greeting;
  expect([await statusWith(url, key), await statusWith(url, 'ab'), await statusWith(url, 'ci')]).toEqual([
    200, 200, 401,
  ]);
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect([code, existsSync(join(folder, 'keys.json'))]).toEqual([0, false]);
  expect(stdout + stderr).not.toMatch(/for-tests|ab,|,ab/);
});

test('reports a used port in one line, and how to choose another', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const folder = newFolder();
  expect(await run(folder, ['--port', `${port}`]).ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `petstore-server: port ${port} on 127.0.0.1 is in use; choose another one with PORT=${port + 1} or --port ${port + 1}.\n`,
  });
  expect((await run(folder, ['--admin-port', `${port}`]).ended).stderr).toContain(
    `choose another one with PETSTORE_ADMIN_PORT=${port + 1} or --admin-port ${port + 1}.\n`,
  );
  // Only a server that can show the key creates it.
  expect(existsSync(join(folder, 'keys.json'))).toBe(false);
});

test
  .skipIf(skips('a full disk', existsSync('/dev/full') ? undefined : 'there is no /dev/full'))
  .each([[['keys', 'create']], [['keys', 'list']], [['export', 'pets']]])(
  '%j fails in one line if its output does not fit on the disk',
  async (argv) => {
    const folder = newFolder();
    const { child, greeting, ended } = run(folder);
    const { key, url } = await greeting;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' })).status).toBe(201);
    child.kill('SIGTERM');
    await ended;
    const stdout = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(stdout));
    const env = { ...process.env, PETSTORE_DATA_DIR: folder };
    const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
    const { status, stderr } = spawnSync(process.execPath, [main, ...argv], { env, stdio, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr.split('\n').at(-2)).toBe(
      'petstore-server: the output cannot be written (ENOSPC) and is incomplete; write it to another place.',
    );
  },
);

test.each<[string[], Record<string, string>, RegExp]>([
  [[], { PORT: 'http' }, /^petstore-server: PORT is 'http'; .*\n$/],
  [['--deployment', 'nowhere'], {}, /^petstore-server: --deployment is 'nowhere'; .*\n$/],
  [['--prot', '80'], {}, /^petstore-server: unknown option '--prot' \(Did you mean --port\?\)\n$/],
  [['--api-key=SECRET'], {}, /^petstore-server: unknown option '--api-key'; set PETSTORE_API_KEYS [^S]*\n$/],
  [['keys', 'list', '--port', '3'], {}, /^petstore-server: unknown option '--port'; see --help\.\n$/],
  [['keys', 'create', 'SECRET'], {}, /^petstore-server: there are too many arguments; [^S]*\n$/],
  [['keys', 'list'], { PETSTORE_DATADIR: '.' }, /^petstore-server: PETSTORE_DATADIR .*PETSTORE_DATA_DIR\?\n$/],
  [[], { PETSTORE_API_KEYS: '' }, /^petstore-server: PETSTORE_API_KEYS: entry 1 is empty; .*\n$/],
])('rejects %j with %o in one line', async (argv, env, line) => {
  expect(await run(newFolder(), argv, env).ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(line),
  });
});

test.each([[['help', 'foo']], [['keys', 'help', 'foo']], [['keys']]])(
  'shows the commands for %j, and why',
  async (argv) => {
    const { code, stdout, stderr } = await run(newFolder(), argv).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Usage: [\s\S]*\nCommands:\n[\s\S]*\npetstore-server: name one of the commands above\.\n$/);
  },
);

test.skipIf(process.platform === 'win32')('rejects a folder as the input of an import', async () => {
  const folder = newFolder();
  const stdin = openSync(folder, 'r');
  onTestFinished(() => closeSync(stdin));
  const env = { ...process.env, PETSTORE_DATA_DIR: join(folder, 'data') };
  const args = [main, 'import', 'pets'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    env,
    stdio: [stdin, 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    'petstore-server: stdin is no file or pipe; redirect it: petstore-server import < documents.jsonl\n',
  ]);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('rejects a damaged keys.json in one line that names it', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'keys.json'), 'null');
  const { code, stdout, stderr } = await run(folder).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^petstore-server: .*\n$/);
  expect(stderr).toContain(join(folder, 'keys.json'));
});

test('--help shows every setting with its variable', async () => {
  const { code, stdout } = await run(newFolder(), ['--help']).ended;
  expect(code).toBe(0);
  for (const { flags, variable } of Object.values(settings)) {
    expect(stdout).toContain(flags);
    expect(stdout).toContain(variable);
  }
  expect(stdout).toContain('PETSTORE_API_KEYS');
});

test("SIGUSR1 does not open Node's debugger", async () => {
  const { child, greeting, ended } = run(newFolder());
  const { origin } = await greeting;
  child.kill('SIGUSR1');
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/debugger|inspector/i);
});

test('an older Node gets a message with the required version', async () => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
    Object.defineProperty(process.features, 'typescript', { value: undefined });`;
  const { code, stdout, stderr } = await run(newFolder(), [], preload(old)).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^petstore-server needs (the Node|Node 22\.16) [^\n]*; this is Node 20\.20\.2\.\n$/);
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('>=22.16.0');
});

test.each(rounds(['SIGINT'] as const, ['SIGINT', 'SIGTERM', 'SIGHUP'] as const))(
  'ends at once on a second %s',
  async (signal) => {
    const { child, greeting, ended } = run(newFolder(), ['--shutdown-timeout', '600']);
    const { key, url, origin } = await greeting;
    // A request whose body never comes holds the server back.
    await beginRequest(origin, key);
    child.kill(signal);
    await vi.waitFor(() => expect(fetch(url)).rejects.toThrow(), 10_000);
    expect(child.exitCode).toBeNull();
    child.kill(signal);
    expect(await ended).toMatchObject({ code: null, signal });
  },
);
