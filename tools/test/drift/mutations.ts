import type { Copy } from './copy.ts';

/** A small drift: what is done to a copy of the repository, and which surface has to say so. */
export interface Mutation {
  name: string;
  surface: string;
  spoil(copy: Copy): void;
}

const specFile = 'spec/openapi.yaml';

/** Replaces the first match behind a mark. */
const put = (mark: string, find: string | RegExp, by: string) => (text: string) => {
  const start = text.indexOf(mark);
  if (start < 0) throw new Error(`there is no ${mark}`);
  return text.slice(0, start) + text.slice(start).replace(find, by);
};

/** An edit of one file, seen by one surface. */
const edit = (surface: string, file: string, name: string, change: (text: string) => string | undefined): Mutation => ({
  name: `${file}: ${name}`,
  surface,
  spoil: (copy) => copy.change(file, change),
});

/** An edit of the spec whose generated code was forgotten. */
const forgotten = (name: string, change: (text: string) => string) =>
  edit('generated', specFile, `${name}, not generated`, change);

/** An edit of the spec, with everything generated from it. */
const described = (surface: string, name: string, change: (text: string) => string): Mutation => ({
  name: `${specFile}: ${name}, generated`,
  surface,
  spoil: (copy) => {
    copy.change(specFile, change);
    copy.generate();
  },
});

const limit = 'name: limit';
const getPet = '  /pets/{petId}:\n';
const table = 'packages/types/src/gen/operations.gen.ts';
const calls = 'packages/client/src/gen/calls.gen.ts';
const handlers = 'apps/server/src/handlers.ts';
const expressApp = 'apps/server/src/http/express-app.ts';
const fastPath = 'apps/server/src/http/fast-path.ts';
const dispatch = 'apps/server/src/http/dispatch.ts';
const access = 'apps/server/src/http/access.ts';
const httpError = 'apps/server/src/http/http-error.ts';
const fieldFlags = 'apps/petctl/src/tree/field-flags.ts';
const operationNode = 'apps/petctl/src/tree/operation-node.ts';
const response = 'apps/server/src/http/response.ts';

export const mutations: Mutation[] = [
  // The spec itself.
  edit('spec', specFile, 'an example that is not valid', put('requestBody:', 'categoryId: 2', 'categoryId: two')),
  edit(
    'spec',
    specFile,
    'an operation without a summary',
    put('operationId: createPet', '      summary: Add an animal\n', ''),
  ),
  edit(
    'spec',
    specFile,
    'a reference to nothing',
    put(getPet, '#/components/schemas/PetId', '#/components/schemas/PetIdentity'),
  ),
  edit('spec', specFile, 'two operations of one name', put(getPet, 'operationId: getPet', 'operationId: listPets')),
  edit(
    'spec',
    specFile,
    'a component that nothing uses',
    put('    PetStatus:', '    PetStatus:', '    Unused: {type: string}\n    PetStatus:'),
  ),
  edit('spec', specFile, 'no sunset for what is deprecated', put(getPet, /\n {6}x-sunset: .*/, '')),
  edit('spec', specFile, 'a sunset that has passed', put(getPet, '2030-12-05', '2020-12-05')),
  edit('spec', specFile, 'a sunset that is no date', put(getPet, '2030-12-05', 'one day')),

  // Generated code.
  forgotten('a bound', put(limit, 'maximum: 100', 'maximum: 99')),
  forgotten('a default', put(limit, 'default: 20', 'default: 21')),
  forgotten('a choice', put('    PetStatus:', 'sold]', 'sold, lost]')),
  forgotten('a description', put(limit, 'Maximum number', 'Largest number')),
  forgotten('a required member', put('    NewPet:', '[name, categoryId]', '[name, categoryId, status]')),
  forgotten('a status', put(getPet, '"404"', '"410"')),
  forgotten('a summary', put('operationId: listPets', 'List animals', 'List all animals')),
  forgotten(
    'a deprecation',
    put(
      'operationId: createPet',
      'operationId: createPet',
      'operationId: createPet\n      deprecated: true\n      x-sunset: "2031-01-01"',
    ),
  ),
  forgotten('the sunset', put(getPet, '2030-12-05', '2031-12-05')),
  forgotten('the version', put('info:', /version: .*/, 'version: 99.0.0')),
  forgotten(
    'the security of an operation',
    put('operationId: createPet', 'operationId: createPet', 'operationId: createPet\n      security: []'),
  ),
  forgotten('a format', put('    CategoryId:', '      format: int64\n', '')),
  forgotten('a pattern', put('    PetName:', 'D800', 'D900')),
  forgotten('the address of a deployment', put('servers:', '127.0.0.1:8080', '127.0.0.1:9090')),
  forgotten('the status of an error code', put('x-statuses:', 'not_found: 404', 'not_found: 410')),
  edit('generated', table, 'edited by hand', put('limit', 'maximum: 100', 'maximum: 99')),
  edit('generated', table, 'another quoting', (text) => text.replaceAll("'GET'", '"GET"')),
  edit('generated', calls, 'a comment added', (text) => `${text}// mine\n`),
  edit(
    'generated',
    'packages/types/src/gen/service.gen.ts',
    'removed and written by hand',
    () =>
      "export const service = {title: '', summary: '', version: '1.0.0', deployments: {production: 'http://127.0.0.1:8080/v1', staging: 'http://127.0.0.1:8081/v1'}, statuses: {invalid_request: 400, unauthorized: 401, not_found: 404, method_not_allowed: 405, payload_too_large: 413, unsupported_media_type: 415, rate_limited: 429, internal_error: 500, unavailable: 503}} as const;\nexport const { version, deployments } = service;\n",
  ),
  edit('generated', 'packages/types/src/gen/types.gen.ts', 'gone', () => undefined),
  edit('generated', 'packages/client/src/gen/extra.gen.ts', 'a stray file', () => 'export {};\n'),
  edit('generated', 'packages/types/src/gen/notes.txt', 'a stray file that git does not know', () => 'remember\n'),

  // The server, statically.
  edit('routes', handlers, 'a handler dropped', put('return {', '    createPet: (pet) => store.create(pet),\n', '')),
  edit('routes', handlers, 'a handler renamed', put('return {', 'createPet:', 'addPet:')),
  edit(
    'routes',
    handlers,
    'a handler too many',
    put('return {', 'return {', 'return {\n    deletePet: () => undefined,'),
  ),
  edit(
    'routes',
    expressApp,
    'a route too many',
    put(
      'for (const operation',
      'for (const operation',
      "app.get('/v1/store/orders', (_request, response) => void response.json([]));\n  for (const operation",
    ),
  ),
  edit(
    'routes',
    expressApp,
    'a route of another method',
    put(
      'const method =',
      'operation.method.toLowerCase()',
      "(operation.id === 'createPet' ? 'put' : operation.method.toLowerCase())",
    ),
  ),
  edit(
    'routes',
    'apps/server/src/http/routes.ts',
    'a route of another path',
    put('export function routeOf', "':$1')", "':$1').replace('pets', 'animals')"),
  ),
  described(
    'routes',
    'an operation without a handler',
    put(
      getPet,
      getPet,
      `  /extra:\n    get:\n      operationId: listExtra\n      tags: [pets]\n      summary: Extra\n      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}, "401": {$ref: "#/components/responses/Unauthorized"}, default: {$ref: "#/components/responses/Failure"}}\n${getPet}`,
    ),
  ),
  described('routes', 'an operation removed, its handler left', (text) =>
    text.replace(/ {2}\/pets\/\{petId\}:\n[\s\S]*?(?=\ncomponents:)/, '').replace('x-successor: listPets', ''),
  ),
  described('routes', 'an operation renamed', put(getPet, 'operationId: getPet', 'operationId: readPet')),

  // The server, in motion.
  edit(
    'motion',
    response,
    'no Deprecation header where one is required',
    put('function deprecation(', '(deprecatedSince ?', '(!deprecatedSince ?'),
  ),
  edit(
    'motion',
    response,
    'a header that is not declared',
    put('function deprecation(', 'return [', "return [\n    'X-Extra', 'yes',"),
  ),
  edit('motion', dispatch, 'another status for a success', put('operation.success', 'operation.success', '202')),
  edit(
    'motion',
    dispatch,
    'no answer to a known version',
    put('if (tag && isKnown', 'tag && isKnown', 'tag === "" && isKnown'),
  ),
  edit(
    'motion',
    handlers,
    'a member that is not declared',
    put('return {', '(pet) => store.create(pet)', '(pet) => store.create({ ...pet, colour: 1 } as typeof pet)'),
  ),
  edit(
    'motion',
    handlers,
    'a member of another type',
    put('return pet;', 'return pet;', 'return { ...pet, id: String(pet.id) } as unknown as Pet;'),
  ),
  edit(
    'motion',
    handlers,
    'a miss that is a success',
    put('if (!pet)', /throw new HttpError.*/, 'return { id: 1, name: "", categoryId: 1 };'),
  ),
  edit(
    'motion',
    httpError,
    'an Error of another shape',
    put('body(): ApiError', 'message: this.message, status', 'message: this.message, at: 1, status'),
  ),
  edit(
    'motion',
    httpError,
    'an Error with another status',
    put('body(): ApiError', 'status: this.status', 'status: 400'),
  ),
  edit(
    'motion',
    access,
    'another status without a key',
    put('export function unauthorized', "'unauthorized'", "'not_found'"),
  ),
  edit('motion', access, 'no key asked for', put('if (!name)', 'if (!name)', 'if (name === "x")')),
  edit(
    'motion',
    expressApp,
    'a validator that is not asked',
    put('app.use(validator', /app\.use\(validator.*\n/, '\n'),
  ),
  edit('motion', fastPath, 'a fast path that accepts everything', put('!check(checked)', '!check(checked)', 'false')),
  described(
    'motion',
    'a status that nothing reaches',
    put(
      'operationId: createPet',
      '"400":',
      '"409":\n          $ref: "#/components/responses/InvalidRequest"\n        "400":',
    ),
  ),
  described(
    'motion',
    'a header that is not sent',
    put(
      'operationId: listPets',
      '            X-Request-Id:\n',
      '            X-Total:\n              required: true\n              schema: {type: integer}\n            X-Request-Id:\n',
    ),
  ),
  described('motion', 'a header that is sent but no longer declared', put(getPet, /\n {12}Sunset:\n.*\n/, '\n')),
  described(
    'motion',
    'a member that is not always there',
    put('    Pet:\n', '[id, name, categoryId]', '[id, name, categoryId, born]'),
  ),

  // The client.
  edit('client', calls, 'an operation dropped', (text) => text.slice(0, text.lastIndexOf('/**'))),
  edit('client', calls, 'another path', put('export function getPet', "'/pets/{petId}'", "'/pet/{petId}'")),
  edit('client', calls, 'another method', put('export function createPet', "'POST'", "'PUT'")),
  edit('client', calls, 'not marked deprecated', (text) => text.replace(' * @deprecated', ' * Deprecated')),
  edit('client', calls, 'an operation too many', (text) => `${text}export const dropPet = getPet;\n`),
  edit('client', 'packages/types/src/gen/service.gen.ts', 'another version', (text) =>
    text.replace(/version = '.*'/, "version = '0.0.1'"),
  ),
  edit('client', 'packages/types/src/gen/service.gen.ts', 'another address', (text) => text.replace('8081', '8082')),

  // petctl.
  edit(
    'petctl',
    fieldFlags,
    'a flag dropped',
    put('export function flagsOf', "field.in !== 'path'", "field.in !== 'path' && field.type !== 'string'"),
  ),
  edit(
    'petctl',
    fieldFlags,
    'a flag that no input stands behind',
    put('function flagOf', '    field,', "    field: field === 'limit' ? 'size' : field,"),
  ),
  edit(
    'petctl',
    fieldFlags,
    'another description of a flag',
    put('function flagOf', 'description: rules.description', 'description: rules.description.toUpperCase()'),
  ),
  edit(
    'petctl',
    fieldFlags,
    'what is required no longer said to be',
    put('function flagOf', '    ...(rules.required && { required: true }),\n', ''),
  ),
  edit(
    'petctl',
    fieldFlags,
    'bounds, choices and defaults lost',
    put('function flagOf', '    rules,', '    rules: { type: rules.type },'),
  ),
  edit(
    'petctl',
    fieldFlags,
    'an argument of no bounds',
    put('export function argumentsOf', 'rules: field', 'rules: { type: field.type }'),
  ),
  edit(
    'petctl',
    operationNode,
    'another summary',
    put('export function operationNode', 'summary: operation.summary', "summary: 'Do it'"),
  ),
  edit(
    'petctl',
    operationNode,
    'another description',
    put('export function operationNode', 'description: operation.description', 'description: operation.summary'),
  ),
  edit(
    'petctl',
    operationNode,
    'a deprecation that is not announced',
    put('function noticeOf', 'if (!deprecated)', 'if (deprecated)'),
  ),
  edit('petctl', operationNode, 'another sunset', put('function noticeOf', /from ..sunset. on/, 'from 2040-01-01 on')),
  edit(
    'petctl',
    'apps/petctl/src/tree/tree.ts',
    'a command dropped',
    put('for (const [operation', 'commands.push(', 'if (!operation.deprecated) commands.push('),
  ),
  edit(
    'petctl',
    'packages/client/src/check.ts',
    'a parser that takes one too many',
    put('faultOf', 'value > maximum', 'value > maximum + 1'),
  ),
  edit(
    'petctl',
    'packages/client/src/check.ts',
    'a parser that takes one too few',
    put('faultOf', 'value < minimum', 'value <= minimum'),
  ),
  edit(
    'petctl',
    'apps/petctl/src/completion/candidates.ts',
    'choices that are not completed',
    put('function values', 'rules.choices ?? []', '[]'),
  ),
  edit(
    'petctl',
    'apps/petctl/src/completion/candidates.ts',
    'flags that are not completed',
    put('function flagWords', 'flagsOf(node)', 'flagsOf(node).slice(1)'),
  ),
  edit(
    'petctl',
    'apps/petctl/src/docs/man.ts',
    'manual pages without flags',
    put('const takes', '...(node.flags ?? []), ', ''),
  ),
  edit('petctl', 'docs/petctl.md', 'edited by hand', (text) => text.replace('pets list', 'pets ls')),
  edit('petctl', 'docs/petctl.md', 'gone', () => undefined),

  // The pages.
  edit('docs', 'README.md', 'a script that is not there', (text) => text.replace('npm start ', 'npm run strat ')),
  edit('docs', 'README.md', 'a link to nothing', (text) => text.replace('(docs/decisions.md)', '(docs/decision.md)')),
  edit('docs', 'docs/operating.md', 'a variable that nothing reads', (text) =>
    text.replace('PETSTORE_BODY_LIMIT', 'PETSTORE_BODY_LIMITS'),
  ),
  edit('docs', 'docs/operating.md', 'a command that is not there', (text) => text.replace('keys create', 'keys make')),
  edit('docs', 'docs/operating.md', 'a flag that is not there', (text) =>
    text.replace('create --name', 'create --called'),
  ),
  edit(
    'docs',
    'docs/decisions.md',
    'an operation that is not there',
    (text) => `${text}\nUse \`GET /store/orders\`.\n`,
  ),
  edit('docs', 'packages/client/README.md', 'a function that is not there', (text) =>
    text.replace('store.createPet(', 'store.addPet('),
  ),
  edit('docs', 'packages/client/README.md', 'a choice that is not there', (text) =>
    text.replace("listPets({ status: 'sold' })", "listPets({ status: 'lost' })"),
  ),
  edit('docs', 'packages/types/README.md', 'an input that is not there', (text) =>
    text.replace('fields.limit', 'fields.size'),
  ),
  described(
    'docs',
    'a choice that the pages still show',
    put('    PetStatus:', 'available, pending, sold', 'free, pending, sold'),
  ),

  // Versions.
  edit('versions', 'packages/client/package.json', 'a package ahead', (text) =>
    text.replace(/"version": ".*"/, '"version": "99.0.0"'),
  ),
  edit('versions', 'spec/package.json', 'the spec package behind', (text) =>
    text.replace(/"version": ".*"/, '"version": "0.0.1"'),
  ),
  edit('versions', '.changeset/config.json', 'a package by itself', (text) => text.replace('"petctl", ', '')),
  edit(
    'versions',
    '.changeset/wrong-name.md',
    'a changeset for a package that is not there',
    () => '---\n"petctrl": minor\n---\n\nMore.\n',
  ),
  edit(
    'versions',
    '.changeset/wrong-bump.md',
    'a changeset of no known weight',
    () => '---\n"petctl": huge\n---\n\nMore.\n',
  ),
  described('versions', 'a version without its packages', put('info:', /version: .*/, 'version: 99.0.0')),
];

/** Edits that change nothing that anybody could notice. */
export const harmless: Mutation[] = [
  edit('', specFile, 'a comment', (text) => `# Nothing new.\n${text}`),
  edit('', specFile, 'another quoting', (text) =>
    text.replace('"2030-12-05"', "'2030-12-05'").replace(/version: ([\d.]+)$/m, 'version: "$1"'),
  ),
  edit(
    '',
    specFile,
    'another order of keys',
    put(
      '    PetStatus:',
      '      type: string\n      description: Availability of the animal.\n',
      '      description: Availability of the animal.\n      type: string\n',
    ),
  ),
  edit(
    '',
    specFile,
    'another style',
    put(
      '    PetStatus:',
      'enum: [available, pending, sold]',
      'enum:\n        - available\n        - pending\n        - sold',
    ),
  ),
  edit('', handlers, 'a comment in a handler', (text) => text.replace('return {', '// As promised.\n  return {')),
];
