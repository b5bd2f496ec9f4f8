import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { apiKey } from '@petstore/testing/server';
import express, { type RequestHandler } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { type AppOptions, createApp } from '../../src/app.ts';
import { keyCheck } from '../../src/keys/check-keys.ts';
import { parseKeys } from '../../src/keys/parse-keys.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { modes } from '../listen.ts';

const requests = [
  'GET /v1/pets',
  'HEAD /v1/pets',
  'GET /v1/pets?nope=1',
  'POST /v1/pets',
  'GET /healthz',
  'DELETE /v1/pets',
  'GET /nope',
];

/** Starts an Express program for one test that has a middleware before the app. Returns its origin. */
async function startProgram(options: Partial<AppOptions>, middleware: RequestHandler): Promise<string> {
  const program = express().use(middleware);
  program.use(await createApp(memoryStore(), { keys: keyCheck(parseKeys(apiKey)), ...options }));
  const server = program.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(modes)(
  'within an Express program, %s: the program sees its own locals and the headers of requests, and no response header repeats',
  async (_, options) => {
    const seen: string[] = [];
    const origin = await startProgram(options, (request, response, next) => {
      response.locals.user = 'Ida';
      response.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': 'of the program' });
      response.on('finish', () => {
        const { method, originalUrl, headers } = request;
        seen.push(`${method} ${originalUrl} of ${response.locals.user}: ${headers['content-type']}`);
      });
      next();
    });
    for (const line of requests) {
      const [method = '', target] = line.split(' ');
      const response = await fetch(`${origin}${target}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'x-request-id': 'one', 'content-type': 'text/csv' },
      });
      await response.text();
      expect(['x-content-type-options', 'x-request-id'].map((name) => response.headers.get(name))).toEqual([
        'nosniff',
        'one',
      ]);
    }
    await expect.poll(() => seen).toEqual(requests.map((line) => `${line} of Ida: text/csv`));
  },
);

test.each(modes)(
  'within an Express program, %s: a body that a parser has read before counts as empty',
  async (_, options) => {
    const origin = await startProgram(options, express.json());
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const response = await fetch(`${origin}/v1/pets`, {
      ...{ method: 'POST', headers, body },
      signal: AbortSignal.timeout(5000),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_request' }]);
  },
);
