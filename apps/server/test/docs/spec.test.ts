import { expect, test } from 'vitest';
import { presentedSpec } from '../../src/docs/docs.ts';
import type { Operation } from '../../src/old.ts';

const operation = (id: string, more: Partial<Operation>): Operation => ({
  id,
  method: 'GET',
  path: `/${id}`,
  command: ['things', 'look'],
  responses: { '200': { description: 'It.' } },
  successes: ['200'],
  success: 200,
  summary: 'Look',
  description: 'Looks.',
  tags: [],
  deprecated: false,
  security: [],
  fields: {},
  ...more,
});

const show = (
  more: Partial<Operation>,
  parameters: { name: string; in: string; required?: boolean; example: number }[] = [],
) => {
  const spec = {
    openapi: '3.1.0' as const,
    components: {},
    webhooks: {},
    info: { title: 'A', summary: 'B', version: '1' },
    servers: [{ url: 'https://elsewhere.example/v1' }],
    paths: { '/look': { get: { responses: {}, parameters } } },
  };
  const before = structuredClone(spec);
  const shown = presentedSpec(spec, [operation('look', more), operation('see', {})], '../v1');
  expect(spec).toEqual(before);
  expect(shown.servers).toEqual([{ url: '../v1' }]);
  return shown.paths?.['/look']?.get;
};

test('a stable operation is shown unchanged', () => {
  expect(show({})).toMatchObject({ summary: 'Look', description: 'Looks.' });
});

test('the stability level is shown', () => {
  const shown = show({ stability: 'beta' });
  expect(shown?.summary).toBe('Look · beta');
  expect(shown?.description).toContain('Stability: beta.');
});

test('a deprecation is shown with its reason, its date and its successor', () => {
  expect(show({ deprecated: true })).toMatchObject({
    summary: 'Look · deprecated',
    description: '> **Deprecated**.\n\nLooks.',
  });
  const known = { deprecated: true, deprecatedSince: '2026-01-31', sunset: '2027-02-01', successor: 'see' };
  expect(show(known)).toMatchObject({
    summary: 'Look · deprecated, will be removed on 1 February 2027',
    description:
      '> **Deprecated** since 31 January 2026; it will be removed on **1 February 2027**. Its successor is `GET /see`.\n\nLooks.',
  });
});

test('an example fills the form only for required values', () => {
  const shown = show({}, [
    { name: 'filter', in: 'query', example: 5 },
    { name: 'id', in: 'path', required: true, example: 7 },
  ]);
  expect(shown?.parameters).toEqual([
    { name: 'filter', in: 'query', description: '\n\nExample: `5`' },
    { name: 'id', in: 'path', required: true, example: 7 },
  ]);
});
