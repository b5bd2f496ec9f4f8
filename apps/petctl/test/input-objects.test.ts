import type { Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { fullTree } from '../src/commands/tree.ts';
import { field, helpOf, input, json, operation, usageError } from './inputs.ts';

describe('objects', () => {
  const owner: Schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'Who it is.' },
      age: { type: 'integer', minimum: 0 },
      isKnown: { type: 'boolean' },
      id: { type: 'string', readOnly: true },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    },
  };
  const of = operation({
    owner,
    second: { oneOf: [owner, { type: 'null' }] },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    extra: {},
  });

  test('dotted flags are parsed by the schema, and merged', async () => {
    const argv = ['--owner.name', 'Ann', '--owner.age', '3', '--owner.is-known=false', '--owner.address.city', '7'];
    expect(await input(of, argv)).toEqual({ owner: { name: 'Ann', age: 3, isKnown: false, address: { city: '7' } } });
    expect(await input(of, ['--second.name', 'Bo'])).toEqual({ second: { name: 'Bo' } });
    expect(helpOf(of)).toContain('--owner.name <string>');
    expect(helpOf(of)).toContain('Who it is.');
    expect(helpOf(of)).not.toContain('--owner.id');
  });

  test('a dotted flag overrides the object, which overrides --data', async () => {
    const data = '{"owner":{"name":"A","address":{"city":"X"}},"extra":1}';
    expect(await input(of, ['--data', data, '--owner.age', '2', '--owner.address.city', 'Y'])).toEqual({
      owner: { name: 'A', age: 2, address: { city: 'Y' } },
      extra: 1,
    });
    expect(await input(of, ['--data', data, '--owner', '{"name":"B"}', '--owner.age', '2'])).toMatchObject({
      owner: { name: 'B', age: 2 },
    });
  });

  test('maps accept key=value and JSON', async () => {
    expect(await input(of, ['--labels', 'a=1', '--labels', 'b=2', '--labels', '{"c":3}'])).toEqual({
      labels: { a: 1, b: 2, c: 3 },
    });
    const { labels } = await input(of, ['--labels', '__proto__=1', '--labels', 'constructor=2']);
    expect(JSON.stringify(labels)).toBe('{"__proto__":1,"constructor":2}');
    expect(await usageError(of, '--labels', 'a=x')).toContain('is not a whole number');
    expect(await usageError(of, '--labels', 'a=1', '--labels', 'a=2')).toContain("--labels sets 'a' twice");
    expect(await usageError(of, '--labels', '{"a":1,"a":2}')).toContain("has the property 'a' twice");
    expect(await usageError(of, '--extra', '{"a":1,"a":2}')).toContain("has the property 'a' twice");
    expect(await usageError(of, '--labels', 'a')).toContain('neither key=value nor a JSON object');
  });

  test.each([
    [['--owner.age', '-1'], "--owner.age '-1' is less than 0"],
    [['--owner.age', '1'], '.name is missing'],
    [['--owner.nam', 'x'], "Did you mean '--owner.name'?"],
    [['--owner', 'x'], 'is not a JSON object'],
  ])('%j is rejected', async (argv, message) => {
    expect(await usageError(of, ...argv)).toContain(message);
  });

  test('a recursive object has a bounded number of flags', async () => {
    const node: Schema = { type: 'object', properties: {} };
    Object.assign(node.properties ?? {}, { next: node, value: { type: 'integer' } });
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: 'string' }] as const));
    const many = operation({ node, wide: { type: 'object', properties: wide } });
    const flags = fullTree([many]).commands?.[0]?.commands?.[0]?.flags ?? [];
    expect(flags.filter(({ name }) => name.startsWith('node.')).length).toBeLessThan(20);
    expect(flags.length).toBeLessThan(150);
    expect(await input(many, ['--node.next.value', '1'])).toEqual({ node: { next: { value: 1 } } });
  });

  test('a body that is one input has flags for its properties', async () => {
    const schema: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    const whole = operation({ body: schema }, { ...json, required: false, whole: true });
    expect(await input(whole, ['--body.name', 'Ann'])).toEqual({ body: { name: 'Ann' } });
    expect(await input(whole, ['--data', '{"name":"A"}', '--body.name', 'B'])).toEqual({ body: { name: 'B' } });
    expect(await input(whole, [])).toEqual({});
    expect(await usageError(whole, '--data', '{}')).toContain('.name is missing');
    expect(await usageError(whole, '--data', '{}')).not.toContain('must be');
  });
});

describe('properties that are not in the spec', () => {
  const open = operation({ name: { type: 'string' } }, { ...json, additional: true });
  const closed = operation({ name: { type: 'string' } });

  test('are allowed in --data if the spec allows additional properties', async () => {
    const data = '{"name":"A","colour":"red","tags":[1,null]}';
    expect(await input(open, ['--data', data, '--name', 'B'])).toEqual({ name: 'B', colour: 'red', tags: [1, null] });
  });

  test('are rejected by name otherwise', async () => {
    expect(await usageError(closed, '--data', '{"nam":"A"}')).toContain(
      "--data: there is no property 'nam'. Did you mean 'name'?",
    );
  });

  test('are rejected if a parameter has the name', async () => {
    const withLimit = { ...open, fields: { ...open.fields, limit: field({ type: 'integer' }) } };
    expect(await usageError(withLimit, '--data', '{"limit":1}')).toContain(
      "--data: 'limit' is a query parameter of this operation, so it cannot be a body property, too.",
    );
  });

  test('are rejected if they cannot be sent exactly', async () => {
    expect(await usageError(open, '--data', '{"big":9223372036854775807}')).toContain('is too large to be exact');
  });
});
