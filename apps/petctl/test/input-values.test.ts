import { describe, expect, test } from 'vitest';
import { fullTree } from '../src/commands/tree.ts';
import { jsonText, jsonValue } from '../src/io/text.ts';
import { parse } from '../src/parse/parser.ts';
import { helpOf, input, operation, usageError } from './inputs.ts';

describe('booleans', () => {
  const of = operation({ tame: { type: 'boolean' }, wild: { type: ['boolean', 'null'] } });

  test.each([
    [['--tame'], { tame: true }],
    [['--tame=true'], { tame: true }],
    [['--tame=false'], { tame: false }],
    [['--no-tame'], { tame: false }],
    [['--tame=false', '--wild=true'], { tame: false, wild: true }],
  ])('%j is parsed by the schema', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test('other values are rejected, and the value of another flag is not consumed', async () => {
    expect(await usageError(of, '--tame=maybe')).toContain('--tame is not true or false. Use --tame=true');
    const named = operation({ tame: { type: 'boolean' }, name: { type: 'string' } });
    expect(await input(named, ['--name', '--tame=false'])).toEqual({ name: '--tame=false' });
  });

  test("petctl's own switches accept a value too", () => {
    const flags = (...argv: string[]) => Object.fromEntries(parse(fullTree([of]), ['things', 'put', ...argv]).flags);
    expect(flags('--quiet=true', '--dry-run=false', '-v', '--color=false', '--verbose=true')).toEqual({
      quiet: true,
      color: false,
      verbose: 2,
    });
  });
});

describe('lists', () => {
  const of = operation({
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    ids: { type: 'array', items: { type: 'integer', format: 'int64' }, uniqueItems: true },
    sizes: { type: 'array', items: { type: 'string', enum: ['small', 'large'] } },
    place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'boolean' }] },
    visits: { type: 'array', items: { type: 'object', properties: { on: { type: 'string' } }, required: ['on'] } },
  });

  test.each([
    [['--tags', 'a', '--tags', 'b'], { tags: ['a', 'b'] }],
    [['--tags', 'a,b', '--tags=c'], { tags: ['a', 'b', 'c'] }],
    [['--tags', '["a,b","c"]'], { tags: ['a,b', 'c'] }],
    [['--tags', '[]'], { tags: [] }],
    [['--ids', '9223372036854775807,1', '--ids=-2'], { ids: [2n ** 63n - 1n, 1, -2] }],
    [['--ids', '[9223372036854775807]'], { ids: [2n ** 63n - 1n] }],
    [['--place', '1.5,true'], { place: [1.5, true] }],
    [
      ['--visits', '{"on":"monday"}', '--visits', '[{"on":"friday"}]'],
      { visits: [{ on: 'monday' }, { on: 'friday' }] },
    ],
  ])('%j is parsed by the schema', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test.each([
    [['--tags', 'a,b', '--tags', 'c,d'], '--tags is longer than 3'],
    [['--ids', '1,1'], '--ids is a list with duplicates'],
    [['--ids', '1,x'], "contains 'x', which is not a whole number"],
    [['--ids', '9223372036854775808'], 'is too large to be exact'],
    [['--sizes', 'smal'], "Did you mean 'small'?"],
    [['--visits', '{}'], '.on is missing'],
    [['--tags', '["a"'], 'is not a list'],
  ])('%j is rejected', async (argv, message) => {
    expect(await usageError(of, ...argv)).toContain(message);
  });
});

describe('null, several types, constants', () => {
  const of = operation({
    name: { type: ['string', 'null'] },
    age: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
    tags: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
    id: { type: ['integer', 'string'] },
    level: { enum: [1, 'high', null] },
    kind: { const: 'dog' },
    version: { const: 2 },
    big: { type: 'integer', format: 'int64' },
    bounded: { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1 },
    half: { type: 'integer', format: 'int64', minimum: 0 },
    weight: { type: 'number' },
    open: {},
    nested: { anyOf: [{ type: 'null' }, { oneOf: [{ type: 'integer', format: 'int64' }, { type: 'boolean' }] }] },
    listed: { anyOf: [{ type: 'null' }, { type: 'array', items: { type: 'integer', format: 'int64' } }] },
    either: { anyOf: ['int32', 'int64'].map((format) => ({ properties: { id: { type: 'integer', format } } })) },
    narrow: { anyOf: [{ type: 'null' }, { properties: { id: { type: 'integer' } } }] },
  });

  test.each([
    [['--name', 'null', '--age', 'null', '--tags', 'null'], { name: null, age: null, tags: null }],
    [['--tags', 'a,null', '--age', '7'], { tags: ['a', null], age: 7 }],
    [['--id', '7', '--level', 'high', '--kind', 'dog'], { id: 7, level: 'high', kind: 'dog' }],
    [['--id', 'x7', '--level', '1', '--version', '2'], { id: 'x7', level: 1, version: 2 }],
    [['--id', '"7"', '--level', 'null'], { id: '7', level: null }],
    [['--big', '-9223372036854775808'], { big: -(2n ** 63n) }],
    [['--half', '9223372036854775807'], { half: 2n ** 63n - 1n }],
    [['--nested', '9223372036854775807'], { nested: 2n ** 63n - 1n }],
    [['--listed', '[9223372036854775807]'], { listed: [2n ** 63n - 1n] }],
    [['--either', '{"id":9223372036854775807}'], { either: { id: 2n ** 63n - 1n } }],
    [['--open', '7'], { open: 7 }],
    [['--open', '{"a":"0.12345678901234567890 \\" 3e-324"}'], { open: { a: '0.12345678901234567890 " 3e-324' } }],
    [['--weight', '0.12345678901234568'], { weight: 0.12345678901234568 }],
    [['--data', '{"weight":-1.50e-7}'], { weight: -1.5e-7 }],
    [['--open', 'a{b'], { open: 'a{b' }],
  ])('%j is parsed by the schema', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test.each([
    [['--level', 'hihg'], "Did you mean 'high'?"],
    [['--kind', 'dgo'], "Did you mean 'dog'?"],
    [['--kind', 'elephant'], 'It must be dog.'],
    [['--age', 'x'], 'no'],
    [['--open', '{"big":9223372036854775807}'], 'is too large to be exact'],
    [['--narrow', '{"id":9223372036854775807}'], 'is too large to be exact'],
    [['--bounded', '9223372036854775807'], 'is more than 9007199254740991'],
    [['--data', '{"bounded":9223372036854775807}'], 'is more than 9007199254740991'],
    [['--half', '-1'], 'is less than 0'],
    [['--half', '9223372036854775808'], 'is too large to be exact'],
    [
      ['--weight', '0.12345678901234567890'],
      'is inexact: 0.12345678901234567890 would be rounded to 0.12345678901234568',
    ],
    [['--weight', '3e-324'], 'is inexact: 3e-324 would be rounded to 5e-324'],
    [['--open', '{"a":[-1.00000000000000000001]}'], 'is inexact: -1.00000000000000000001 would be rounded to -1'],
    [['--data', '{"weight":1e-400}'], '--data: the value is inexact: 1e-400 would be rounded to 0'],
    [['--weight', '1e300'], 'is too large to be exact'],
    [['--weight', '-1e400'], 'is too large to be exact'],
    [['--open', '{"a":1e400}'], 'is too large to be exact'],
  ])('%j is rejected', async (argv, message) => {
    expect(await usageError(of, ...argv)).toContain(message);
  });
});

describe("inputs named like petctl's own flags", () => {
  const of = operation({ version: { type: 'string' }, help: { type: 'string' }, data: { type: 'string' } });

  test('their flags begin with the location, except --version, which is petctl’s only before a command', async () => {
    expect(await input(of, ['--version', '2', '--body-help', 'h', '--body-data', 'd'])).toEqual({
      version: '2',
      help: 'h',
      data: 'd',
    });
    expect(parse(fullTree([of]), ['--version', 'things', 'put'])).toMatchObject({ version: true });
    const text = helpOf(of).replace(/\s+/g, ' ');
    expect(text).toContain("--body-help <string> One (--help is petctl's).");
    expect(text).toContain("--body-data <string> One (--data is petctl's).");
  });

  test('the flag of a name like the --no- form of a switch begins with the location, too', async () => {
    const switches = operation({
      noColor: { type: 'boolean' },
      tame: { type: 'boolean' },
      noTame: { type: 'string' },
      noWild: { type: 'boolean' },
      wild: { type: 'boolean' },
    });
    const argv = ['--body-no-color', '--no-tame', '--body-no-tame', 'x', '--no-wild', '--no-body-wild'];
    expect(await input(switches, argv)).toEqual({
      noColor: true,
      tame: false,
      noTame: 'x',
      noWild: true,
      wild: false,
    });
  });
});

test.each(['9223372036854775807', '{"a":[-9223372036854775808,1],"b":"9223372036854775807"}', '0.5', 'null'])(
  'parsed and written again, the JSON %s is unchanged',
  (text) => {
    expect(jsonText(jsonValue(text))).toBe(text);
  },
);
