import { expect, test, vi } from 'vitest';
import { type LogLevel, type Options, petstore } from '../src/index.ts';

const respond = async () => Response.json([], { headers: { 'x-request-id': 'r1' } });
const client = (options: Options) =>
  petstore({ apiKey: 'secret', baseUrl: 'http://pets.test/v1', transport: respond, retry: { base: 1 }, ...options });

test('callbacks see no credential', async () => {
  const seen: unknown[] = [];
  const api = client({
    headers: { cookie: 'a=secret', 'x-api-key': 'secret' },
    on: { request: (request) => seen.push(request), response: (response, request) => seen.push(response, request) },
  });
  await api.listPets({ limit: 1, api_key: 'secret' } as never);
  expect(seen.length).toBe(3);
  expect(JSON.stringify(seen)).not.toContain('secret');
  expect(seen[0]).toMatchObject({ method: 'GET', url: expect.stringContaining('limit=1&api_key=***') });
});

test('a callback that throws, or rejects, changes nothing', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const broken = () => {
    throw new Error('broken');
  };
  const on = { request: broken, response: async () => broken(), retry: broken, error: broken, deprecated: broken };
  expect(await client({ on }).listPets()).toEqual([]);
  await expect(client({ on, transport: () => Promise.reject(new Error('down')) }).listPets()).rejects.toMatchObject({
    name: 'ConnectionError',
  });
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: 'broken' }));
  log.mockRestore();
});

test.each<[LogLevel, string[]]>([
  ['off', []],
  ['warn', []],
  ['info', ['info', 'info', 'info']],
  ['debug', ['debug', 'info', 'debug', 'info', 'debug', 'info']],
])('the log level %s writes %j, and never a credential', async (logLevel, levels) => {
  const lines: [string, string][] = [];
  const logger = {
    warn: (line: string) => lines.push(['warn', line]),
    info: (line: string) => lines.push(['info', line]),
    debug: (line: string) => lines.push(['debug', line]),
  };
  const api = client({ logLevel, logger, transport: () => Promise.reject(new Error('down')) });
  await api.listPets().outcome();
  expect(lines.map(([level]) => level)).toEqual(levels);
  expect(JSON.stringify(lines)).not.toContain('secret');
});
