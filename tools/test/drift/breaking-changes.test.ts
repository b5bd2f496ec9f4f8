import { expect, test } from 'vitest';
import { compareSpecs } from '../../drift/checks/breaking-changes/compare.ts';
import { readSpec } from '../../drift/openapi.ts';
import { textOf } from '../../repository.ts';

const spec = textOf('spec/openapi.yaml');

/** The spec with an edit after a marker, so that no other part is edited by mistake. */
function edit(from: string, find: string | RegExp, put: string): string {
  const start = spec.indexOf(from);
  const rest = spec.slice(start);
  const changed = rest.replace(find, put);
  if (start < 0 || changed === rest) throw new Error(`nothing to edit behind ${from}`);
  return spec.slice(0, start) + changed;
}

const specOf = (text: string) => readSpec(() => text);
const rulesOf = (after: string, before = spec, today = '2026-11-20') =>
  compareSpecs(specOf(before), specOf(after), today).map(({ level, rule, where }) => `${level}: ${rule}: ${where}`);

const limit = 'name: limit';
const getPet = '  /pets/{petId}:\n';
const newPet = '    NewPet:';
const pet = '    Pet:\n';

/** The spec without the operation, with the other operations of its path. */
const withoutGetPet = edit(getPet, / {4}get:\n[\s\S]*?(?=\n {4}\w+:\n|\n {2}\/|\ncomponents:)/, '');

test.each<[string, string, string[]]>([
  ['an operation removed', withoutGetPet, ['major: operation removed: GET /pets/{petId}']],
  [
    'an operation added',
    edit(
      getPet,
      getPet,
      `  /other:\n    get:\n      operationId: other\n      responses: {'200': {description: ok}}\n${getPet}`,
    ),
    ['minor: operation added: GET /other'],
  ],
  [
    'an operation deprecated',
    edit('operationId: createPet', 'operationId: createPet', 'operationId: createPet\n      deprecated: true'),
    ['minor: operation deprecated: POST /pets'],
  ],
  [
    'a sunset brought forward',
    edit(getPet, '2030-12-05', '2029-12-05'),
    ['major: sunset brought forward: GET /pets/{petId}'],
  ],
  ['another paging rule', edit('x-pagination', 'cursor: after', 'cursor: limit'), ['major: paging changed: GET /pets']],
  [
    'a parameter removed',
    spec.replace(/ {8}- name: after[\s\S]*?example: 20\n/, ''),
    ['major: parameter removed: GET /pets query after'],
  ],
  [
    'a parameter required',
    edit(limit, 'in: query', 'in: query\n          required: true'),
    ['major: parameter newly required: GET /pets query limit'],
  ],
  [
    'a parameter added',
    edit(
      '      parameters:',
      '      parameters:',
      '      parameters:\n        - {name: q, in: query, schema: {type: string}}',
    ),
    ['minor: parameter added: GET /pets query q'],
  ],
  [
    'a required parameter added',
    edit(
      '      parameters:',
      '      parameters:',
      '      parameters:\n        - {name: q, in: query, required: true, schema: {type: string}}',
    ),
    ['major: parameter newly required: GET /pets query q'],
  ],
  [
    'a tighter maximum',
    edit(limit, 'maximum: 100', 'maximum: 50'),
    ['major: request bound narrowed: GET /pets query limit'],
  ],
  [
    'a wider maximum',
    edit(limit, 'maximum: 100', 'maximum: 200'),
    ['minor: request bound widened: GET /pets query limit'],
  ],
  [
    'a tighter minimum',
    edit(limit, 'minimum: 1', 'minimum: 2'),
    ['major: request bound narrowed: GET /pets query limit'],
  ],
  [
    'a bound dropped',
    edit(limit, '            minimum: 1\n', ''),
    ['minor: request bound widened: GET /pets query limit'],
  ],
  [
    'another default',
    edit(limit, 'default: 20', 'default: 30'),
    ['major: request default changed: GET /pets query limit'],
  ],
  [
    'a parameter of another type',
    edit(limit, 'type: integer', 'type: string'),
    ['major: request type changed: GET /pets query limit'],
  ],
  [
    'a format added',
    edit(limit, 'type: integer', 'type: integer\n            format: int32'),
    ['major: request format narrowed: GET /pets query limit'],
  ],
  [
    'a property of the body removed',
    edit(newPet, /\n {8}status:\n.*\n/, '\n'),
    ['major: request property removed: POST /pets body.status'],
  ],
  [
    'a property of the body required',
    edit(newPet, '[name, categoryId]', '[name, categoryId, status]'),
    ['major: request property newly required: POST /pets body.status'],
  ],
  [
    'a property of the body no longer required',
    edit(newPet, '[name, categoryId]', '[name]'),
    ['minor: request property no longer required: POST /pets body.categoryId'],
  ],
  [
    'a property of the body added',
    edit(newPet, 'properties:', 'properties:\n        colour: {type: string}'),
    ['minor: request property added: POST /pets body.colour'],
  ],
  [
    'the body no longer required',
    edit('requestBody:', 'required: true', 'required: false'),
    ['minor: body no longer required: POST /pets body'],
  ],
  [
    'a property of the response added',
    edit(pet, 'properties:', 'properties:\n        born: {type: string}'),
    [
      'minor: response property added: GET /pets 200[].born',
      'minor: response property added: POST /pets 201.born',
      'minor: response property added: GET /pets/{petId} 200.born',
    ],
  ],
  [
    'a property of the response that may be missing',
    edit(pet, '[id, name, categoryId]', '[id, name]'),
    ['GET /pets 200[]', 'POST /pets 201', 'GET /pets/{petId} 200'].map(
      (where) => `major: response property may be missing: ${where}.categoryId`,
    ),
  ],
  [
    'an enum value removed',
    edit('PetStatus:', '[available, pending, sold]', '[available, sold]'),
    [
      'major: request enum narrowed: GET /pets query status',
      'minor: response enum narrowed: GET /pets 200[].status',
      'major: request enum narrowed: POST /pets body.status',
      'minor: response enum narrowed: POST /pets 201.status',
      'minor: response enum narrowed: GET /pets/{petId} 200.status',
    ],
  ],
  [
    'an enum value added',
    edit('PetStatus:', '[available, pending, sold]', '[available, pending, sold, lost]'),
    [
      'minor: request enum widened: GET /pets query status',
      'major: response enum widened: GET /pets 200[].status',
      'minor: request enum widened: POST /pets body.status',
      'major: response enum widened: POST /pets 201.status',
      'major: response enum widened: GET /pets/{petId} 200.status',
    ],
  ],
  [
    'a status removed',
    edit(getPet, /\n {8}"404":[\s\S]*?(?=\n {8}default:)/, ''),
    ['major: status removed: GET /pets/{petId} 404'],
  ],
  [
    'a header removed',
    edit('operationId: listPets', / {12}Link:\n.*\n/, ''),
    ['major: header removed: GET /pets 200 Link'],
  ],
  [
    'security dropped',
    spec.replace('security:\n  - bearer: []\n', 'security: []\n'),
    [...specOf(spec).operations.keys()].map((where) => `minor: security relaxed: ${where}`),
  ],
  [
    'a deployment removed',
    spec.replace(/ {2}- url: .\{staging_base_url\}.[\s\S]*?\n\nsecurity/, '\nsecurity'),
    ['major: deployment removed: deployment staging'],
  ],
  [
    'descriptions, order and style',
    spec
      .replace('List animals', 'List the animals')
      .replace('openapi: 3.1.0', 'openapi: "3.1.0"')
      .replace(
        '    PetStatus:\n      type: string\n      description: Availability of the animal.\n',
        '    PetStatus:\n      description: Whether it can be had.\n      type: string\n',
      ),
    [],
  ],
])('each change is found with its level: %s', (_, after, expected) => {
  expect(rulesOf(after).sort()).toEqual([...expected].sort());
});

test('security that is added is a break', () => {
  const open = spec.replace('security:\n  - bearer: []\n', 'security: []\n');
  expect(rulesOf(spec, open)).toContain('major: security added: GET /pets');
});

test('a deprecated operation may be removed on the day of its sunset', () => {
  expect(rulesOf(withoutGetPet, spec, '2030-12-04')).toEqual(['major: operation removed: GET /pets/{petId}']);
  expect(rulesOf(withoutGetPet, spec, '2030-12-05')).toEqual([
    'minor: operation removed after its sunset: GET /pets/{petId}',
  ]);
});
