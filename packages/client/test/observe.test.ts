import { expectLinear } from '@petstore/testing/linear';
import { operations } from '@petstore/types';
import { expect, test, vi } from 'vitest';
import { connect, type DeprecationNotice, type HttpRequest, type LogLevel, listPets, observe } from '../src/index.ts';
import { recording } from './recording.ts';

test('callbacks get no credential', async () => {
  const shown: unknown[] = [];
  const { api } = recording({
    apiKey: 'secret',
    headers: { cookie: 'a=secret', 'x-api-key': 'secret' },
    on: { request: (request) => shown.push(request), response: (response, request) => shown.push(response, request) },
  });
  await api.listPets({ limit: 1, api_key: 'secret' } as never);
  expect(shown.length).toBe(3);
  expect(JSON.stringify(shown)).not.toContain('secret');
  expect(shown[0]).toMatchObject({ method: 'GET', url: expect.stringContaining('limit=1&api_key=***') });
});

test('credentials are removed in time linear in the length of the URL', () => {
  const transport = async () => Response.json([]);
  const { transport: send } = observe(connect({ baseUrl: 'http://pets.test/v1', transport }), {});
  expectLinear((length) => {
    const request = { method: 'GET', url: `http://pets.test/?${'?'.repeat(length)}`, headers: {} } as HttpRequest;
    return () => void send(request);
  }, 2 ** 12);
});

test('a callback that throws or rejects does not affect the call', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const broken = () => {
    throw new Error('broken');
  };
  const on = { request: broken, response: async () => broken(), retry: broken, error: broken, deprecated: broken };
  expect(await recording({ on }).api.listPets()).toEqual([]);
  const transport = () => Promise.reject(new Error('down'));
  const { api } = recording({ on, transport, retry: { base: 1 } });
  await expect(api.listPets()).rejects.toMatchObject({ name: 'ConnectionError' });
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: 'broken' }));
  log.mockRestore();
});

test.each<[LogLevel, string[]]>([
  ['off', []],
  ['warn', []],
  ['info', ['info', 'info', 'info']],
  ['debug', ['debug', 'info', 'debug', 'info', 'debug', 'info']],
])('the log level %s logs %j, and never a credential', async (logLevel, levels) => {
  const lines: [string, string][] = [];
  const logger = {
    warn: (line: string) => lines.push(['warn', line]),
    info: (line: string) => lines.push(['info', line]),
    debug: (line: string) => lines.push(['debug', line]),
  };
  const transport = () => Promise.reject(new Error('down'));
  const { api } = recording({ apiKey: 'secret', logLevel, logger, transport, retry: { base: 1 } });
  await api.listPets().outcome();
  expect(lines.map(([level]) => level)).toEqual(levels);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a deprecated operation is reported once per process, with the date of its removal', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await recording({ on: { deprecated: false } }).api.getPet({ petId: 1 });
  expect(warn).not.toHaveBeenCalled();
  await recording().api.getPet({ petId: 1 });
  await recording().api.getPet({ petId: 2 });
  await recording().api.createPet({ name: 'x', categoryId: 1 }).outcome();
  expect(warn.mock.calls).toEqual([
    [`@petstore/client: getPet is deprecated, will be removed on ${operations.getPet.sunset}`],
  ]);
});

test('an operation that only the service deprecates is reported, too', async () => {
  const notices: DeprecationNotice[] = [];
  const headers = { deprecation: '@1795132800', sunset: 'Wed, 01 Jan 2031 00:00:00 GMT' };
  const transport = async () => Response.json([], { headers });
  await recording({ transport, on: { deprecated: (notice) => notices.push(notice) } }).api.listPets();
  expect(notices).toMatchObject([{ operation: 'listPets', sunset: headers.sunset }]);
});

test('callbacks may be methods of an object, also of a client with changed options', async () => {
  class Calls {
    readonly names: string[] = [];
    request() {
      this.names.push('request');
    }
    deprecated() {
      this.names.push('deprecated');
    }
  }
  const [first, second] = [new Calls(), new Calls()];
  const transport = async () => Response.json({}, { status: 201, headers: { deprecation: '@1795132800' } });
  const { api } = recording({ transport, on: first });
  await api.withOptions({ timeout: 0 }).createPet({ name: 'x', categoryId: 1 });
  expect(first.names.splice(0)).toEqual(['request', 'deprecated']);
  await recording({ transport }).api.withOptions({ on: second }).createPet({ name: 'x', categoryId: 1 });
  expect(second.names).toEqual(['request']);
  const statuses: number[] = [];
  const response = ({ status }: { readonly status: number }) => void statuses.push(status);
  await api.withOptions({ on: { response } }).createPet({ name: 'x', categoryId: 1 });
  expect([first.names.at(-1), statuses]).toEqual(['request', [201]]);
});

test('a connection that is observed twice runs the callbacks of both', async () => {
  const names: string[] = [];
  const callbacks = (observer: string) => ({
    request: () => void names.push(`${observer} request`),
    retry: () => void names.push(`${observer} retry`),
    error: () => void names.push(`${observer} error`),
  });
  const { connection } = recording({ retry: { limit: 1, base: 0 } }, 503);
  const twice = observe(observe(connection, { on: callbacks('first') }), { on: callbacks('second') });
  await expect(listPets(twice)).rejects.toMatchObject({ status: 503 });
  const expected = ['request', 'retry', 'request', 'error'].flatMap((name) => [`first ${name}`, `second ${name}`]);
  expect(names.sort()).toEqual(expected.sort());
});
