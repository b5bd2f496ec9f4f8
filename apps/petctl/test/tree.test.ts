import { type Field, type Operation, operations, type Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { help } from '../src/commands/help/help.ts';
import { fullTree } from '../src/commands/tree.ts';
import { parse } from '../src/internal.ts';
import { processIo } from '../src/io/io.ts';
import type { CommandNode } from '../src/parse/command.ts';

const base: Operation = {
  id: 'listThings',
  method: 'GET',
  path: '/things',
  command: ['things', 'list'],
  responses: { '200': { description: 'Them.' } },
  successes: ['200'],
  success: 200,
  summary: 'List things',
  description: 'Lists them.',
  tags: ['things'],
  deprecated: false,
  security: [],
  fields: {},
};
const field = (schema: Schema, place: Field['in'] = 'query'): Field => ({
  in: place,
  required: false,
  description: 'One.',
  schema,
});

const commandsOf = (node: CommandNode, group: string) =>
  node.commands?.find(({ name }) => name === group)?.commands?.map(({ name }) => name);

describe('commands come from the operations', () => {
  test('those of the spec', () => {
    const names = commandsOf(fullTree(Object.values(operations)), 'pets');
    expect(names).toEqual(expect.arrayContaining(['list', 'create', 'get', 'import']));
  });

  test.each([[[{ ...base, command: ['auth', 'list'] }], "'petctl auth' is built in"]])(
    'a clash stops the build',
    (all, why) => {
      expect(() => fullTree(all)).toThrow(why);
    },
  );

  test('an import is named by its own operation alone', () => {
    const post = (name: string): Operation => ({
      ...base,
      id: `${name}Thing`,
      method: 'POST',
      command: ['things', name],
      fields: { name: field({ type: 'string' }, 'body') },
    });
    expect(commandsOf(fullTree([post('create'), post('clone')]), 'things')).toEqual([
      'create',
      'clone',
      'import',
      'import-clone',
    ]);
  });

  test('an operation named like an import is rejected, too', () => {
    const create: Operation = {
      ...base,
      id: 'createThing',
      method: 'POST',
      command: ['things', 'create'],
      fields: { name: field({ type: 'string' }, 'body') },
    };
    expect(() => fullTree([create, { ...base, id: 'importThings', command: ['things', 'import'] }])).toThrow(
      "'petctl things import' is built in",
    );
  });
});

describe('flags come from the fields', () => {
  const operation: Operation = {
    ...base,
    fields: {
      wideOpen: field({ type: 'boolean' }),
      tags: field({ type: 'array', items: { type: 'string' } }),
      output: field({ type: 'string' }),
      weight: field({ type: 'number', exclusiveMinimum: 0, maximum: 10 }),
      'X-Trace': field({ type: 'string' }, 'header'),
    },
  };
  const root = fullTree([operation]);
  const flags = (...argv: string[]) => Object.fromEntries(parse(root, ['things', 'list', ...argv]).flags);

  test('switches, lists, headers, and names that petctl uses itself', () => {
    expect(
      flags('--wide-open', '--tags', 'a', '--tags', 'b', '--query-output', 'x', '--weight', '0.5', '--x-trace', 't'),
    ).toEqual({
      'wide-open': true,
      tags: ['a', 'b'],
      'query-output': 'x',
      weight: 0.5,
      'x-trace': 't',
    });
    expect(flags('--no-wide-open')).toEqual({ 'wide-open': false });
  });

  test('every input has its own flag, whatever its name', () => {
    const names = ['pet_id', 'petId', 'Pet-Id', '-', '$filter', 'output'];
    const fields = Object.fromEntries(names.map((name) => [name, field({ type: 'string' })]));
    const node = fullTree([{ ...base, fields }]).commands?.[0]?.commands?.[0];
    expect((node?.flags ?? []).slice(0, names.length).map(({ name }) => name)).toEqual([
      'pet-id',
      'query-pet-id',
      'query-pet-id-2',
      'value',
      'filter',
      'query-output',
    ]);
  });

  test('an int64 without bounds is exact over its whole range, and no wider', () => {
    const root = fullTree([{ ...base, fields: { big: field({ type: 'integer', format: 'int64' }) } }]);
    const read = (word: string) => parse(root, ['things', 'list', `--big=${word}`]).flags.get('big');
    expect(['9223372036854775807', '-9223372036854775808', '7'].map(read)).toEqual([2n ** 63n - 1n, -(2n ** 63n), 7]);
    expect(() => read('9223372036854775808')).toThrow('is too large to be exact');
  });

  test.each(['0', '11', 'x', '1e', ''])('--weight %j is refused', (weight) => {
    expect(() => flags(`--weight=${weight}`)).toThrow('--weight');
  });

  test('flags may precede and follow the name of a command', () => {
    expect(Object.fromEntries(parse(root, ['-v', '--fields', 'id', 'things', '-v', 'list', '-vv']).flags)).toEqual({
      verbose: 4,
      fields: 'id',
    });
  });
});

test('help shows examples first, then ranges, server defaults and deprecations', () => {
  const root = fullTree(Object.values(operations));
  const io = processIo();
  const of = (name: string) => {
    const node = root.commands?.find((one) => one.name === 'pets')?.commands?.find((one) => one.name === name);
    return node ? help({ path: ['pets', name], node }, io) : '';
  };
  const list = of('list');
  expect(list.indexOf('Examples')).toBeLessThan(list.indexOf('Usage'));
  expect(list.indexOf('Usage')).toBeLessThan(list.indexOf('Flags'));
  const limit = operations.listPets.fields.limit.schema;
  expect(list).toContain(`from ${limit.minimum} to ${limit.maximum}; server default: ${limit.default}`);
  expect(of('get')).toContain(
    `Deprecated: may be removed from ${operations.getPet.sunset} on. Use 'petctl pets list' instead.`,
  );
});

test('stability markers are shown', () => {
  const root = fullTree([{ ...base, stability: 'beta' }]);
  expect(root.commands?.[0]?.commands?.[0]?.notice).toContain('beta');
});
