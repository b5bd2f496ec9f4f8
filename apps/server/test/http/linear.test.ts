import { expectLinearAsync } from '@petstore/testing/linear';
import { apiKey } from '@petstore/testing/server';
import { describe, expect, test } from 'vitest';
import { listenForSuite, modes } from '../listen.ts';
import { raw, request } from './wire.ts';

const rex = (more: string) => `{"name":"Rex","categoryId":1${more}}`;

describe.each(modes)('%s', (_, options) => {
  const server = listenForSuite(options);
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };

  test.each<[string, number, (n: number) => string]>([
    ['digits', 201, (n) => rex(`.${'0'.repeat(n)}`)],
    ['digits and another', 400, (n) => rex(`.${'0'.repeat(n)}1`)],
    ['blanks', 201, (n) => rex(' '.repeat(n))],
    ['open brackets', 400, (n) => '['.repeat(n)],
    ['brackets', 400, (n) => rex(`,"x":${'['.repeat(n / 2)}${']'.repeat(n / 2)}`)],
    ['members', 400, (n) => `{${Array.from({ length: n / 12 }, (_, i) => `"${i}":1`)}}`],
    ['equal members', 400, (n) => `{${'"a":1,'.repeat(n / 6)}"a":1}`],
    ['values', 400, (n) => rex(`,"x":[${'1,'.repeat(n / 2)}1]`)],
    ['escapes', 201, (n) => `{"name":"${'\\u0041'.repeat(n / 6)}","categoryId":1}`],
    ['backslashes', 400, (n) => `{"name":"${'\\'.repeat(n)}`],
    ['quotes', 400, (n) => '"'.repeat(n)],
  ])('the work on a body of %s is linear in its length', async (_, status, body) => {
    // Smaller bodies cost too little, and larger ones exceed the limit.
    await expectLinearAsync(
      async (length) => {
        for (let i = 0; i < 3; i++) {
          const response = await raw(server().origin, request('POST /v1/pets', headers, body(length)));
          expect(response.status).toBe(status);
        }
      },
      2 ** 20 / 8 - 64,
    );
  });
});
