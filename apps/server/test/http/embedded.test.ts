import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { apiKey } from '@petstore/testing/server';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
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

test.each(modes)(
  'within an Express program, %s: the program sees its own locals and the headers of requests, and no response header repeats',
  async (_, options) => {
    const seen: string[] = [];
    const program = express();
    program.use((request, response, next) => {
      response.locals.user = 'Ida';
      response.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': 'of the program' });
      response.on('finish', () => {
        const { method, originalUrl, headers } = request;
        seen.push(`${method} ${originalUrl} of ${response.locals.user}: ${headers['content-type']}`);
      });
      next();
    });
    program.use(await createApp(memoryStore(), { keys: keyCheck(parseKeys(apiKey)), ...options }));
    const server = program.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const line of requests) {
      const [method = '', target] = line.split(' ');
      const url = `http://127.0.0.1:${port}${target}`;
      const response = await fetch(url, {
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
    const program = express().use(express.json());
    program.use(await createApp(memoryStore(), { keys: keyCheck(parseKeys(apiKey)), ...options }));
    const server = program.listen(0, '127.0.0.1');
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, {
      ...{ method: 'POST', headers, body },
      signal: AbortSignal.timeout(5000),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_request' }]);
  },
);
