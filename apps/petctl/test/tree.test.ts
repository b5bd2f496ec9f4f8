import { type Operation, operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { help } from '../src/docs/help.ts';
import { parse } from '../src/inside.ts';
import { surroundings } from '../src/surroundings.ts';
import { fullTree } from '../src/tree/full-tree.ts';
import { commandNames } from '../src/tree/names.ts';
import type { CommandNode } from '../src/tree/node.ts';

const base: Operation = {
  id: 'listThings',
  method: 'GET',
  path: '/things',
  success: 200,
  statuses: [200],
  summary: 'List things',
  description: 'Lists them.',
  tags: ['things'],
  deprecated: false,
  security: [],
  fields: {},
};
const field = (type: 'string' | 'integer' | 'boolean' | 'array' | 'number', more: object = {}) =>
  ({ in: 'query', type, required: false, description: 'One.', ...more }) as const;

const commandsOf = (node: CommandNode, group: string) =>
  node.commands?.find(({ name }) => name === group)?.commands?.map(({ name }) => name);

describe('commands come from the operations', () => {
  test('those of the spec', () => {
    const names = commandsOf(fullTree(Object.values(operations)), 'pets');
    expect(names).toEqual(expect.arrayContaining(['list', 'create', 'get', 'import']));
  });

  test('the noun stays where two would share a name', () => {
    const names = commandNames([base, { ...base, id: 'listThingParts' }, { ...base, id: 'getThing' }]);
    expect([...names.values()].map(({ name }) => name)).toEqual(['list-things', 'list-thing-parts', 'get']);
  });

  test.each([
    [[base, { ...base }], 'rename one in the spec'],
    [[{ ...base, tags: [] }], 'needs a tag'],
    [[{ ...base, tags: ['auth'] }], "'petctl auth' is petctl's own"],
  ])('a clash stops the build', (all, why) => {
    expect(() => fullTree(all)).toThrow(why);
  });

  test('an operation named like an import is refused too', () => {
    const create: Operation = {
      ...base,
      id: 'createThing',
      method: 'POST',
      fields: { name: field('string', { in: 'body' }) },
    };
    expect(() => fullTree([create, { ...base, id: 'importThings' }])).toThrow("'petctl things import' is petctl's own");
  });
});

describe('flags come from the fields', () => {
  const operation: Operation = {
    ...base,
    fields: {
      wideOpen: field('boolean'),
      tags: field('array'),
      output: field('string'),
      weight: field('number', { exclusiveMinimum: 0, maximum: 10 }),
      'X-Trace': field('string', { in: 'header' }),
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

  test.each(['0', '11', 'x', '1e', ''])('--weight %j is refused', (weight) => {
    expect(() => flags(`--weight=${weight}`)).toThrow('--weight');
  });

  test('the flags of every command stand before and behind its name', () => {
    expect(Object.fromEntries(parse(root, ['-v', '--fields', 'id', 'things', '-v', 'list', '-vv']).flags)).toEqual({
      verbose: 4,
      fields: 'id',
    });
  });
});

test('help shows examples first, then ranges, server defaults and what becomes of it', () => {
  const root = fullTree(Object.values(operations));
  const around = surroundings();
  const of = (name: string) => {
    const node = root.commands?.find((one) => one.name === 'pets')?.commands?.find((one) => one.name === name);
    return node ? help({ path: ['pets', name], node }, around) : '';
  };
  const list = of('list');
  expect(list.indexOf('Examples')).toBeLessThan(list.indexOf('Usage'));
  expect(list.indexOf('Usage')).toBeLessThan(list.indexOf('Flags'));
  const { limit } = operations.listPets.fields;
  expect(list).toContain(`from ${limit.minimum} to ${limit.maximum}; server default: ${limit.default}`);
  expect(of('get')).toContain(
    `Deprecated, and may be gone from ${operations.getPet.sunset} on. Use 'petctl pets list' instead.`,
  );
});

test('stability markers are shown', () => {
  const root = fullTree([{ ...base, stability: 'beta' }]);
  expect(root.commands?.[0]?.commands?.[0]?.notice).toContain('beta');
});
