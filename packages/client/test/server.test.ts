import { deployments } from '@petstore/types';
import { expect, test } from 'vitest';
import { atServer } from '../src/call.ts';
import { connect } from '../src/index.ts';

const baseUrlAt = (baseUrl: string, server: string) => atServer(connect({ baseUrl, apiKey: 'k' }), server).baseUrl;

test("an operation's own server takes the place of a deployment", () => {
  expect(baseUrlAt(deployments.production, 'https://files.example.com/v2/')).toBe('https://files.example.com/v2');
  expect(baseUrlAt(deployments.production.replace('127.0.0.1', '127.1'), 'https://files.example.com:443')).toBe(
    'https://files.example.com',
  );
  expect(baseUrlAt(`${deployments.staging}/`, 'https://files.example.com')).toBe('https://files.example.com');
});

test('a server that is relative is one of the same host', () => {
  expect(baseUrlAt(deployments.production, '/files/v2')).toBe(`${new URL(deployments.production).origin}/files/v2`);
});

test("an address of the caller's own takes all operations", () => {
  expect(baseUrlAt('http://127.0.0.1:9/v1', 'https://files.example.com')).toBe('http://127.0.0.1:9/v1');
});
