// The drift script says nothing where nothing contradicts the spec: after changes that callers do not notice, and with a second
// resource and a second filter, which it understands without an edit.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { spec } from './drift-plants.ts';
import { DriftCopy, type Edit } from './support/drift.ts';

const copy = new DriftCopy();

const refactorings: readonly (readonly [name: string, file: string, from: string, to: string])[] = [
  [
    'a handler in other words',
    'apps/server/src/handlers.ts',
    'createPet: (pet, { pets }) => pets.create(pet),',
    'createPet: async ({ name, ...others }, { pets }) => {\n    return await pets.create({ name, ...others });\n  },',
  ],
  ['another hash', 'apps/server/src/send.ts', "hash('sha256', body", "hash('sha512', body"],
  [
    'another message',
    'apps/server/src/handlers.ts',
    'There is no pet with the identifier',
    'No pet has the identifier',
  ],
  ['another message of errors', 'apps/server/src/errors.ts', 'Retry later.', 'Try again later.'],
  ['another back-off', 'packages/client/src/retry.ts', 'base * 2 **', 'base * 3 **'],
  ['another hint of the client', 'packages/client/src/attempt.ts', 'check baseUrl', 'see baseUrl'],
  [
    'another notice of petctl',
    'apps/petctl/src/commands/call-operation.ts',
    'The list is cut',
    'This list is cut',
  ],
  [
    'another hint of petctl',
    'apps/petctl/src/service/explain-error.ts',
    'Check the identifier',
    'See the identifier',
  ],
  ['other prose', 'README.md', 'A store of pets:', 'A shop of pets:'],
];
test.each(refactorings)('%s is no contradiction', (_, file, from, to) => {
  expect(copy.driftAfter([{ file, from, to }]).output).toContain('Nothing drifts');
});

test('the same spec in other words is generated, and contradicts nothing', () => {
  const edits: Edit[] = [
    { file: spec, from: /^/, to: '# A comment.\n' },
    { file: spec, from: '[available, pending, sold]', to: '["available", \'pending\', sold]' },
  ];
  expect(copy.driftAfter(edits, [], true).output).toContain('Nothing drifts');
});

const listCategories = `  /categories:
    get:
      operationId: listCategories
      tags: [categories]
      summary: List categories
      x-pagination: { cursor: after, key: id, limit: limit }
      parameters:
        - name: limit
          in: query
          description: Maximum number of categories returned.
          schema: { type: integer, minimum: 1, maximum: 50, default: 10 }
        - name: after
          in: query
          description: Return only categories whose identifier is greater than this one.
          schema: { type: integer, format: int64, minimum: 0, maximum: 9007199254740991 }
      responses:
        "200":
          description: A page of categories.
          headers:
            ETag: { $ref: "#/components/headers/Version" }
            Link: { $ref: "#/components/headers/NextPage" }
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Category" } }
        "304": { $ref: "#/components/responses/NotModified" }
        "400": { $ref: "#/components/responses/InvalidRequest" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        default: { $ref: "#/components/responses/UnexpectedError" }
    post:
      operationId: createCategory
      tags: [categories]
      summary: Add a category
      parameters:
        - $ref: "#/components/parameters/IdempotencyKey"
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/NewCategory" }
      responses:
        "201":
          description: The added category.
          headers:
            Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Category" }
        "400": { $ref: "#/components/responses/InvalidRequest" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "409": { $ref: "#/components/responses/RequestInFlight" }
        "422": { $ref: "#/components/responses/IdempotencyKeyReused" }
        default: { $ref: "#/components/responses/UnexpectedError" }

components:
`;

const categorySchemas = `    PetTag: { type: string, minLength: 1, maxLength: 40 }
    NewCategory:
      type: object
      additionalProperties: false
      required: [title]
      properties:
        title: { type: string, minLength: 1, maxLength: 60 }
    Category:
      type: object
      additionalProperties: false
      required: [id, title]
      properties:
        id: { $ref: "#/components/schemas/PetId" }
        title: { type: string, minLength: 1, maxLength: 60 }
    ErrorCode:
`;

const tagParameter = `        - name: tag
          in: query
          description: Return only pets with this tag.
          schema: { $ref: "#/components/schemas/PetTag" }
        - name: after
`;

const status = '        status: { $ref: "#/components/schemas/PetStatus" }\n';
const tag = '        tag: { $ref: "#/components/schemas/PetTag" }\n';

const handlers = 'apps/server/src/handlers.ts';
const all = '{ limit, after, filters }';

const categoryHandlers = `listCategories: ({ limit = 10, after = 0 }, { categories }) =>
    categories.list({ limit, after }),
  createCategory: (category, { categories }) => categories.create(category),
  createPet:`;

test('a second resource and a second filter are understood, and a filter that is ignored is found', () => {
  const { change, generate, folder } = copy.copy;
  const replaceAll = (file: string, edits: readonly (readonly [from: string, to: string])[]) => {
    for (const [from, to] of edits) change(file, (text) => text.replaceAll(from, () => to));
  };
  change(spec, (text) => text.replace('        - name: after\n', () => tagParameter));
  replaceAll(spec, [
    ['\ncomponents:\n', `\n${listCategories}`],
    ['    ErrorCode:\n', categorySchemas],
    [status, status + tag],
    [
      '  - name: pets\n',
      '  - { name: categories, description: The categories. }\n  - name: pets\n',
    ],
  ]);
  replaceAll(handlers, [
    ['  pets: {', "  categories: { name: 'categories', id: 'id', filters: [] },\n  pets: {"],
    ["filters: ['status']", "filters: ['status', 'tag']"],
    ['createPet:', categoryHandlers],
  ]);
  generate();
  spawnSync(process.execPath, ['tools/reference.ts'], { cwd: folder });
  expect(copy.drift().output).toContain('Nothing drifts');

  replaceAll(handlers, [
    [all, '{ limit, after, filters: filters.status ? { status: filters.status } : {} }'],
  ]);
  const { code, output } = copy.drift(['server']);
  expect(output).toContain('GET /pets?tag: the documents');
  expect(code).toBe(1);
});
