import { expect, test } from 'vitest';
import { faultOf } from '../src/check.ts';
import { connect, NotFoundError, request } from '../src/index.ts';
import { answer, faulty } from './faults.ts';

test('sends what it is given, with the key, and repeats what is safe to repeat', async () => {
  const server = await faulty(answer(503, { code: 'unavailable', message: 'Later.', status: 503 }), answer(200, [1]));
  const connection = connect({ apiKey: 'k', baseUrl: server.baseUrl, retry: { base: 1, cap: 1 } });
  const { text, response } = await request(connection, { method: 'GET', path: '/things?a=1' });
  expect([text, response.status, server.requests.length]).toEqual(['[1]', 200, 2]);
  await server.close();
});

test('throws the errors of any other call', async () => {
  const server = await faulty(answer(404, { code: 'not_found', message: 'No.', status: 404 }));
  const sent = request(connect({ apiKey: 'k', baseUrl: server.baseUrl }), { method: 'GET', path: '/none' });
  await expect(sent).rejects.toBeInstanceOf(NotFoundError);
  await server.close();
});

test.each([
  [1, { exclusiveMinimum: 1 }, 'not more than 1'],
  [2, { exclusiveMaximum: 2 }, 'not less than 2'],
  [1.5, { exclusiveMinimum: 1, exclusiveMaximum: 2 }, undefined],
] as const)('%j by %j', (value, rules, fault) => {
  expect(faultOf(value, { type: 'number', ...rules })).toBe(fault);
});
