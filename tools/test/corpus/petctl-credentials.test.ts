import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { petctlOf, server } from './petctl-of.ts';

const operation = (id: string, security: string) =>
  `  /${id}: { get: { operationId: ${id}, tags: [ things ], security: ${security}, responses: { '204': { description: D. } } } }`;

const { folder, run } = await petctlOf(`
security: [ { token: [] } ]
paths:
  /elsewhere:
    get:
      operationId: elsewhere
      tags: [ things ]
      servers: [ { url: https://other.example.com } ]
      responses: { '204': { description: D. } }
  /usual: { get: { operationId: usual, tags: [ things ], responses: { '204': { description: D. } } } }
${operation('none', '[]')}
${operation('maybe', '[ {}, { token: [] } ]')}
${operation('login', '[ { login: [] } ]')}
${operation('byHeader', '[ { head: [] } ]')}
${operation('byQuery', '[ { find: [] } ]')}
${operation('byCookie', '[ { jar: [] } ]')}
${operation('both', '[ { head: [], find: [] }, { login: [] } ]')}
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    login: { type: http, scheme: basic }
    head: { type: apiKey, in: header, name: X-Key }
    find: { type: apiKey, in: query, name: key }
    jar: { type: apiKey, in: cookie, name: session }
`);

describe('credentials', () => {
  const all = {
    PETCTL_API_KEY: 'tok3n',
    PETCTL_AUTH_LOGIN: 'ann:a b:ü',
    PETCTL_AUTH_HEAD: 'h-key',
    PETCTL_AUTH_FIND: 'f&key',
    PETCTL_AUTH_JAR: 'j-key',
  };
  const basic = `Basic ${Buffer.from(all.PETCTL_AUTH_LOGIN).toString('base64')}`;

  test.each([
    ['usual', '/usual', { authorization: 'Bearer tok3n' }],
    ['none', '/none', {}],
    ['maybe', '/maybe', { authorization: 'Bearer tok3n' }],
    ['login', '/login', { authorization: basic }],
    ['by-header', '/byHeader', { 'x-key': 'h-key' }],
    ['by-query', '/byQuery?key=f%26key', {}],
    ['by-cookie', '/byCookie', { cookie: 'session=j-key' }],
    ['both', '/both?key=f%26key', { 'x-key': 'h-key' }],
  ])('%s sends only the credential that it needs', async (name, target, expected) => {
    const { code, sent, stderr } = await run(`things ${name} -vv`, { env: all });
    const { accept, 'user-agent': agent, ...headers } = sent[0]?.headers ?? {};
    expect([code, sent[0]?.target, headers]).toEqual([0, target, expected]);
    for (const secret of [...Object.values(all), 'f%26key', basic.slice(6), 'a b:ü'])
      expect(stderr).not.toContain(secret);
  });

  test('none is requested if none is needed, or if there is an alternative', async () => {
    expect(await run('things none')).toMatchObject({ code: 0 });
    expect(await run('things maybe')).toMatchObject({
      code: 0,
      sent: [{ headers: expect.not.objectContaining({ authorization: '' }) }],
    });
    const { code, sent } = await run('things both', { env: { PETCTL_AUTH_LOGIN: 'a:b', PETCTL_AUTH_HEAD: 'k' } });
    expect([code, sent[0]?.headers.authorization]).toEqual([0, 'Basic YTpi']);
  });

  test('a missing one is named, with how to set it', async () => {
    const { code, stderr, sent } = await run('things login', { env: { PETCTL_API_KEY: 'tok3n' } });
    expect([code, sent]).toEqual([4, []]);
    expect(stderr).toContain("There is no credential 'login' for https://api.example.com.");
    expect(stderr).toContain("Log in with 'petctl auth login --scheme login', or set PETCTL_AUTH_LOGIN.");
    expect((await run('things both')).stderr).toContain(
      "it needs credential 'head' and credential 'find', or credential 'login'",
    );
    expect((await run('things login', { env: { PETCTL_AUTH_LOGIN: 'ann' } })).stderr).toContain('is not user:password');
  });

  test('--dry-run and --curl show the variable of a credential, not its value', async () => {
    const dry = async (name: string, env: Record<string, string> = all) =>
      (await run(`things ${name} --dry-run`, { env })).stdout;
    expect(await dry('usual')).toContain('authorization: Bearer $PETCTL_API_KEY\n');
    expect(await dry('login')).toContain('authorization: Basic $PETCTL_AUTH_LOGIN\n');
    expect(await dry('by-query')).toMatch(/^GET https:\/\/api.example.com\/byQuery\?key=\$PETCTL_AUTH_FIND\n/);
    expect(await dry('by-cookie')).toContain('cookie: session=$PETCTL_AUTH_JAR\n');
    expect(await dry('both')).toContain('x-key: $PETCTL_AUTH_HEAD\n');
    expect(await dry('both', { PETCTL_AUTH_LOGIN: 'a:b' })).toContain('authorization: Basic $PETCTL_AUTH_LOGIN\n');
    expect(await dry('none')).not.toContain('PETCTL');
    for (const name of ['usual', 'login', 'by-header', 'by-query', 'by-cookie']) {
      const { stdout } = await run(`things ${name} --curl`, { env: all });
      expect(stdout).toMatch(/"\$PETCTL_\w+"/);
      for (const secret of Object.values(all)) expect(stdout).not.toContain(secret);
    }
  });

  test('each scheme has its own stored credential', async () => {
    const login = (scheme: string, stdin: string) =>
      run(`auth login --with-key --scheme ${scheme}`, { stdin, status: 204 });
    expect(await run('auth login --with-key', { stdin: 'main-key\n' })).toMatchObject({ code: 0 });
    expect(await login('login', 'bo:secret word\n')).toMatchObject({ code: 0, sent: [{ target: '/login' }] });
    expect(await login('find', 'found')).toMatchObject({ code: 0, sent: [{ target: '/byQuery?key=found' }] });
    const stored = JSON.parse(readFileSync(join(folder, 'petctl/credentials.json'), 'utf8'));
    expect(stored).toEqual({
      default: {
        [server]: { token: { key: 'main-key' }, login: { key: 'bo:secret word' }, find: { key: 'found' } },
      },
    });
    expect((await run('things login')).sent[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('bo:secret word').toString('base64')}`,
    );
    expect((await run('auth token --scheme find')).stdout).toBe('found\n');
    expect((await run('auth status --scheme login -o json')).stdout).toContain(
      '"key":"bo:…"'.replace('…', '\xe2\x80\xa6'),
    );
    expect(await run('auth logout --scheme login')).toMatchObject({ code: 0 });
    expect(await run('auth logout')).toMatchObject({ code: 0 });
    expect(await run('things login')).toMatchObject({ code: 4 });
    expect((await run('things by-query')).sent[0]?.target).toBe('/byQuery?key=found');
    expect((await run('auth login --scheme logn')).stderr).toContain("Did you mean 'login'?");
  });

  test('a stored one is sent to its own origin only, also if an operation has its own server', async () => {
    const stored = await run('auth login --with-key', { stdin: 'main-key', status: 204 });
    expect(stored).toMatchObject({ code: 0, sent: [{ target: '/usual' }] });
    const { code, sent, stderr } = await run('things elsewhere');
    expect([code, sent]).toEqual([4, []]);
    expect(stderr).toContain('https://other.example.com');
    const other = '--base-url https://other.example.com';
    await run(`auth login --with-key --no-check ${other}`, { stdin: 'other-key' });
    expect((await run('things elsewhere')).sent).toMatchObject([
      { target: 'https://other.example.com/elsewhere', headers: { authorization: 'Bearer other-key' } },
    ]);
  });

  test('help environment names the variables', async () => {
    expect((await run('help environment')).stdout).toMatch(
      /PETCTL_AUTH_LOGIN +The credential 'login', as user:password\./,
    );
  });
});
