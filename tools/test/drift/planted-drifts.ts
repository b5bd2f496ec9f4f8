import type { Edits, Project } from '../../drift/project.ts';
import { generateEverything } from '../../generate/everything.ts';
import { readModel } from '../../generate/generate.ts';

/** A small edit of the repository, and the check that has to find it. */
export interface PlantedDrift {
  check: string;
  name: string;
  edits(project: Project): Promise<Edits>;
}

/** New texts of a file by what is wrong with them. An added file is made of an empty text; `undefined` removes one. */
type Changes = Record<string, (text: string) => string | undefined>;

const specFile = 'spec/openapi.yaml';

/** Replaces the first match behind a marker. */
const put = (marker: string, find: string | RegExp, by: string) => (text: string) => {
  const start = text.indexOf(marker);
  if (start < 0) throw new Error(`there is no ${marker}`);
  return text.slice(0, start) + text.slice(start).replace(find, by);
};

const edits = (check: string, file: string, changes: Changes): PlantedDrift[] =>
  Object.entries(changes).map(([name, change]) => ({
    check,
    name: `${file}: ${name}`,
    edits: async (project) => {
      const before = project.exists(file) ? project.read(file) : '';
      const after = change(before);
      if (after === before) throw new Error(`the edit of ${file} changes nothing`);
      return { [file]: after };
    },
  }));

/** Edits of the spec whose generated code was forgotten. */
const forgotten = (changes: Changes) => edits('generated', specFile, changes);

/** Edits of the spec, with the code generated from it. */
const described = (check: string, changes: Changes): PlantedDrift[] =>
  edits(check, specFile, changes).map((drift) => ({
    ...drift,
    name: `${drift.name}, generated`,
    edits: async (project) => {
      const edited = await drift.edits(project);
      return { ...edited, ...Object.fromEntries(await generateEverything(readModel(edited[specFile] ?? ''))) };
    },
  }));

const limit = 'name: limit';
const getPet = '  /pets/{petId}:\n';
const table = 'packages/types/src/gen/operations.gen.ts';
const calls = 'packages/client/src/gen/calls.gen.ts';
const handlers = 'apps/server/src/handlers.ts';
const expressApp = 'apps/server/src/http/express-app.ts';
const fastPath = 'apps/server/src/http/fast-path.ts';
const dispatcher = 'apps/server/src/http/dispatch.ts';
const access = 'apps/server/src/http/access.ts';
const httpError = 'apps/server/src/http/http-error.ts';
const fieldFlags = 'apps/petctl/src/commands/field-flags.ts';
const commandTree = 'apps/petctl/src/commands/tree.ts';
const responseHeaders = 'apps/server/src/http/response.ts';

export const plantedDrifts: PlantedDrift[] = [
  // The spec itself.
  ...edits('spec', specFile, {
    'an example that is not valid': put('requestBody:', 'categoryId: 2', 'categoryId: two'),
    'an operation without a summary': put('operationId: createPet', '      summary: Add an animal\n', ''),
    'a reference to nothing': put(getPet, '#/components/schemas/PetId', '#/components/schemas/PetIdentity'),
    'two operations of one name': put(getPet, 'operationId: getPet', 'operationId: listPets'),
    'a component that nothing uses': put(
      '    PetStatus:',
      '    PetStatus:',
      '    Unused: {type: string}\n    PetStatus:',
    ),
    'a deprecated operation without a sunset': put(getPet, /\n {6}x-sunset: .*/, ''),
    'a sunset that has passed': put(getPet, '2030-12-05', '2020-12-05'),
    'a sunset that is no date': put(getPet, '2030-12-05', 'one day'),
    'an idempotency key without 422': put(
      'operationId: createPet',
      '        "422":\n          $ref: "#/components/responses/IdempotencyKeyReused"\n',
      '',
    ),
    'an idempotency key without Idempotency-Replayed': put(
      'operationId: createPet',
      /\n {12}Idempotency-Replayed:\n.*\n/,
      '\n',
    ),
  }),

  // Generated code.
  ...forgotten({
    'a bound': put(limit, 'maximum: 100', 'maximum: 99'),
    'a default': put(limit, 'default: 20', 'default: 21'),
    'an enum value': put('    PetStatus:', 'sold]', 'sold, lost]'),
    'a description': put(limit, 'Maximum number', 'Largest number'),
    'a required property': put('    NewPet:', '[name, categoryId]', '[name, categoryId, status]'),
    'a status': put(getPet, '"404"', '"410"'),
    'a summary': put('operationId: listPets', 'List animals', 'List all animals'),
    'a deprecation': put(
      'operationId: createPet',
      'operationId: createPet',
      'operationId: createPet\n      deprecated: true\n      x-sunset: "2031-01-01"',
    ),
    'the sunset': put(getPet, '2030-12-05', '2031-12-05'),
    'the version': put('info:', /version: .*/, 'version: 99.0.0'),
    'the security of an operation': put(
      'operationId: createPet',
      'operationId: createPet',
      'operationId: createPet\n      security: []',
    ),
    'a format': put('    CategoryId:', '      format: int64\n', ''),
    'a pattern': put('    PetName:', 'type: string', "type: string\n      pattern: '^[^<]*$'"),
    'the address of a deployment': put('servers:', '127.0.0.1:8080', '127.0.0.1:9090'),
    'the header of an idempotency key': put('    IdempotencyKey:', 'name: Idempotency-Key', 'name: Repeat-Key'),
    'the status of an error code': put('x-statuses:', 'not_found: 404', 'not_found: 410'),
  }),
  ...edits('generated', table, {
    'edited by hand': put('limit', 'maximum: 100', 'maximum: 99'),
    'another quoting': (text) => text.replaceAll("'GET'", '"GET"'),
  }),
  ...edits('generated', calls, {
    'a comment added': (text) => `${text}// mine\n`,
  }),
  ...edits('generated', 'packages/types/src/gen/service.gen.ts', {
    'removed and written by hand': () =>
      "export const service = {title: '', summary: '', version: '1.0.0', deployments: {production: 'http://127.0.0.1:8080/v1', staging: 'http://127.0.0.1:8081/v1'}, statuses: {invalid_request: 400, unauthorized: 401, not_found: 404, method_not_allowed: 405, payload_too_large: 413, unsupported_media_type: 415, rate_limited: 429, internal_error: 500, unavailable: 503}} as const;\nexport const { version, deployments } = service;\n",
  }),
  ...edits('generated', 'packages/types/src/gen/types.gen.ts', {
    gone: () => undefined,
  }),
  ...edits('generated', 'apps/server/src/gen/checks.gen.ts', {
    'a check that is not what the validator compiles': put('parameterChecks', 'data1 > 100', 'data1 > 1000'),
  }),
  ...edits('generated', 'packages/client/src/gen/extra.gen.ts', {
    'a stray file': () => 'export {};\n',
  }),
  ...edits('generated', 'packages/types/src/gen/notes.txt', {
    'a stray file that git does not know': () => 'remember\n',
  }),

  // The handlers and routes of the server.
  ...edits('routes', handlers, {
    'a handler dropped': put(
      'return {',
      '    createPet: async (pet) => ({ id: (await pets().create({ ...pet })).id, ...pet }),\n',
      '',
    ),
    'a handler renamed': put('return {', 'createPet:', 'addPet:'),
    'a handler too many': put('return {', 'return {', 'return {\n    deletePet: () => undefined,'),
  }),
  ...edits('routes', expressApp, {
    'a route too many': put(
      'for (const operation',
      'for (const operation',
      "app.get('/v1/store/orders', (_request, response) => void response.json([]));\n  for (const operation",
    ),
    'a route of another method': put(
      'const method =',
      'described.method.toLowerCase()',
      "(described.id === 'createPet' ? 'put' : described.method.toLowerCase())",
    ),
  }),
  ...edits('routes', 'apps/server/src/http/routes.ts', {
    'a route of another path': put('export function routeOf', '+ path)', "+ path.replace('pets', 'animals'))"),
  }),
  ...described('routes', {
    'an operation without a handler': put(
      getPet,
      getPet,
      `  /extra:\n    get:\n      operationId: listExtra\n      tags: [pets]\n      summary: Extra\n      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}, "401": {$ref: "#/components/responses/Unauthorized"}, default: {$ref: "#/components/responses/Failure"}}\n${getPet}`,
    ),
    'an operation removed, its handler left': (text) =>
      text.replace(/ {2}\/pets\/\{petId\}:\n[\s\S]*?(?=\ncomponents:)/, '').replace('x-successor: listPets', ''),
    'an operation renamed': put(getPet, 'operationId: getPet', 'operationId: readPet'),
  }),

  // The running server.
  ...edits('conformance', responseHeaders, {
    'no Deprecation header where one is required': put(
      'function deprecation(',
      '(deprecatedSince ?',
      '(!deprecatedSince ?',
    ),
    'a header that is not declared': put('function deprecation(', 'return [', "return [\n    'X-Extra', 'yes',"),
  }),
  ...edits('conformance', responseHeaders, {
    'no way to the next page': put('export function nextPage', 'rel="next"', 'rel="nest"'),
  }),
  ...edits('conformance', dispatcher, {
    'another status for a success': put('operation.success', 'operation.success', '202'),
    'an idempotency key that is ignored': put(
      'const key = idempotencyKeyOf',
      'idempotencyKeyOf(request.headers, operation)',
      'operation.path === "" ? idempotencyKeyOf(request.headers, operation) : undefined',
    ),
    'no 304': put('if (tag && isKnown', 'tag && isKnown', 'tag === "" && isKnown'),
  }),
  ...edits('conformance', handlers, {
    'a property that is not declared': put('return {', '.id, ...pet })', '.id, ...pet, colour: 1 } as Pet)'),
    'a property of another type': put(
      'return decode<Pet>(pet.json)',
      'decode<Pet>(pet.json)',
      '{ ...decode<Pet>(pet.json), id: String(petId) } as unknown as Pet',
    ),
    'a success instead of a 404': put(
      'if (!pet)',
      /throw new HttpError.*/,
      'return { id: 1, name: "", categoryId: 1 };',
    ),
  }),
  ...edits('conformance', httpError, {
    'an Error of another shape': put(
      'body(): ErrorBody',
      'message: this.message, status',
      'message: this.message, at: 1, status',
    ),
    'an Error with another status': put('body(): ErrorBody', 'status: this.status', 'status: 400'),
  }),
  ...edits('conformance', access, {
    'another status without a key': put('export function unauthorized', "'unauthorized'", "'not_found'"),
    'no key required': put('export function authenticate', 'name === undefined', 'name === "x"'),
  }),
  ...edits('conformance', expressApp, {
    'no validation': put('app.use(await validator', /app\.use\(await validator.*\n/, '\n'),
  }),
  ...edits('conformance', fastPath, {
    'a fast path that accepts everything': put('const checked', '!passes(checked)', 'false'),
  }),
  ...described('conformance', {
    'a status that no request leads to': put(
      'operationId: createPet',
      '"400":',
      '"418":\n          $ref: "#/components/responses/InvalidRequest"\n        "400":',
    ),
    'a header that is not sent': put(
      'operationId: listPets',
      '            X-Request-Id:\n',
      '            X-Total:\n              required: true\n              schema: {type: integer}\n            X-Request-Id:\n',
    ),
    'a header that is sent but no longer declared': put(getPet, /\n {12}Sunset:\n.*\n/, '\n'),
    'Idempotency-Replayed that is sent but not declared': put(
      'operationId: createPet',
      /\n {12}Idempotency-Replayed:\n.*\n/,
      '\n',
    ),
    'a property that is not always present': put(
      '    Pet:\n',
      '[id, name, categoryId]',
      '[id, name, categoryId, born]',
    ),
  }),

  // The client.
  ...edits('client', calls, {
    'an operation dropped': (text) => text.slice(0, text.lastIndexOf('/**')),
    'another path': put('export function getPet', "'/pets/{petId}'", "'/pet/{petId}'"),
    'another method': put('export function createPet', "'POST'", "'PUT'"),
    'not marked deprecated': (text) => text.replace(' * @deprecated', ' * Deprecated'),
    'an operation too many': (text) => `${text}export const dropPet = getPet;\n`,
  }),
  ...edits('client', 'packages/types/src/gen/service.gen.ts', {
    'another version': (text) => text.replace(/version = '.*'/, "version = '0.0.1'"),
    'another address': (text) => text.replace('8081', '8082'),
  }),

  // petctl.
  ...edits('petctl', fieldFlags, {
    'a flag dropped': put(
      'function flagsOf',
      "field.in !== 'path'",
      "field.in !== 'path' && field.schema.type !== 'string'",
    ),
    'a flag without an input': put('function flagOf', '    field,', "    field: field === 'limit' ? 'size' : field,"),
    'another description of a flag': put(
      'function flagOf',
      '    description,\n',
      '    description: description.toUpperCase(),\n',
    ),
    'required flags not marked': put('function flagOf', '    ...(required && { required: true }),\n', ''),
    'no bounds, enums and defaults': put(
      'function flagOf',
      '    rules,',
      "    rules: { type: typeof rules.type === 'string' ? rules.type : 'string' },",
    ),
  }),
  ...edits('petctl', commandTree, {
    'an argument without bounds': put(
      'function argumentsOf',
      'rules: field.schema',
      "rules: { type: field.schema.type ?? 'string' }",
    ),
  }),
  ...edits('petctl', commandTree, {
    'another summary': put('function operationNode', 'summary: operation.summary', "summary: 'Do it'"),
    'another description': put(
      'function operationNode',
      'description: operation.description',
      'description: operation.summary',
    ),
    'a deprecation without a notice': put('function noticeOf', 'if (!deprecated)', 'if (deprecated)'),
    'another sunset': put('function noticeOf', /from ..sunset. on/, 'from 2040-01-01 on'),
  }),
  ...edits('petctl', commandTree, {
    'a command dropped': put('for (const operation of', 'commands.push(', 'if (!operation.deprecated) commands.push('),
  }),
  ...edits('petctl', 'packages/client/src/check.ts', {
    'a parser that accepts one too many': put('faultOf', 'value > maximum', 'value > maximum + 1'),
    'a parser that accepts one too few': put('faultOf', 'value < minimum', 'value <= minimum'),
  }),
  ...edits('petctl', 'apps/petctl/src/commands/completion.ts', {
    'enum values that are not completed': put('function values', 'wordsOf(rules)', '[]'),
    'flags that are not completed': put('function flagWords', 'flagsOf(node)', 'flagsOf(node).slice(1)'),
  }),
  ...edits('petctl', 'apps/petctl/src/commands/help/pages.ts', {
    'manual pages without flags': put('const takes', '...(node.flags ?? []), ', ''),
  }),
  ...edits('petctl', 'docs/petctl.md', {
    'edited by hand': (text) => text.replace('pets list', 'pets ls'),
    gone: () => undefined,
  }),

  // The pages.
  ...edits('docs', 'README.md', {
    'a script that is not there': (text) => text.replace('npm start ', 'npm run strat '),
    'a link to nothing': (text) => text.replace('(docs/decisions.md)', '(docs/decision.md)'),
  }),
  ...edits('docs', 'docs/operating.md', {
    'a variable that nothing reads': (text) => text.replace('PETSTORE_BODY_LIMIT', 'PETSTORE_BODY_LIMITS'),
    'a command that is not there': (text) => text.replace('keys create', 'keys make'),
    'a flag that is not there': (text) => text.replace('create --name', 'create --called'),
  }),
  ...edits('docs', 'docs/decisions.md', {
    'an operation that is not there': (text) => `${text}\nUse \`GET /store/orders\`.\n`,
  }),
  ...edits('docs', 'packages/client/README.md', {
    'a function that is not there': (text) => text.replace('store.createPet(', 'store.addPet('),
    'an enum value that is not there': (text) =>
      text.replace("listPets({ status: 'sold' })", "listPets({ status: 'lost' })"),
  }),
  ...edits('docs', 'packages/types/README.md', {
    'an input that is not there': (text) => text.replace('fields.limit', 'fields.size'),
  }),
  ...described('docs', {
    'an enum value that the pages still show': put('    PetStatus:', 'available, pending, sold', 'free, pending, sold'),
  }),

  // Versions.
  ...edits('versions', 'packages/client/package.json', {
    'a package ahead': (text) => text.replace(/"version": ".*"/, '"version": "99.0.0"'),
  }),
  ...edits('versions', 'spec/package.json', {
    'the spec package behind': (text) => text.replace(/"version": ".*"/, '"version": "0.0.1"'),
  }),
  ...edits('versions', '.changeset/config.json', {
    'a package by itself': (text) => text.replace('"petctl", ', ''),
  }),
  ...edits('versions', '.changeset/wrong-name.md', {
    'a changeset for a package that is not there': () => '---\n"petctrl": minor\n---\n\nMore.\n',
  }),
  ...edits('versions', '.changeset/wrong-bump.md', {
    'a changeset of an unknown level': () => '---\n"petctl": huge\n---\n\nMore.\n',
  }),
  ...described('versions', {
    'a version without its packages': put('info:', /version: .*/, 'version: 99.0.0'),
  }),
];

/** Edits that nobody could notice. */
export const harmlessEdits: PlantedDrift[] = [
  ...edits('none', specFile, {
    'a comment': (text) => `# Nothing new.\n${text}`,
    'another quoting': (text) =>
      text.replace('"2030-12-05"', "'2030-12-05'").replace(/version: ([\d.]+)$/m, 'version: "$1"'),
    'another order of keys': put(
      '    PetStatus:',
      '      type: string\n      description: Availability of the animal.\n',
      '      description: Availability of the animal.\n      type: string\n',
    ),
    'another style': put(
      '    PetStatus:',
      'enum: [available, pending, sold]',
      'enum:\n        - available\n        - pending\n        - sold',
    ),
  }),
  ...edits('none', handlers, {
    'a comment in a handler': (text) => text.replace('return {', '// As promised.\n  return {'),
  }),
];
