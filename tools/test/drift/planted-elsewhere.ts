import { edits, forgotten, getPet, type PlantedDrift, put, source, specFile, unannounced } from './planting.ts';

const { calls, fieldFlags, commandTree } = source;

const limit = 'name: limit';
const table = 'packages/types/src/gen/operations.gen.ts';

/** In the spec, generated code, the client and petctl, and changes since the base. */
export const plantedElsewhere: PlantedDrift[] = [
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
    'a sunset that is no day of the calendar': put(getPet, '2030-12-05', '2030-02-31'),
    'a deprecation that is no date': put(getPet, /x-deprecated-since: .*/, 'x-deprecated-since: soon'),
    'a POST without an idempotency key': put(
      'operationId: createPet',
      '        - $ref: "#/components/parameters/IdempotencyKey"\n',
      '        - {name: note, in: query, description: A note., schema: {type: string}}\n',
    ),
    'a POST that gives no reason': put(
      'operationId: createPet',
      '      parameters:\n        - $ref: "#/components/parameters/IdempotencyKey"\n',
      '      x-no-idempotency-key: ""\n',
    ),
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
    'a pattern': put('    PetName:', 'type: string', "type: string\n      pattern: '^[^<]*$$'"),
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
    'not marked deprecated': (text) => text.replace(' * @deprecated', ' * Deprecated'),
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

  // The client.
  ...edits('client', calls, {
    'an operation dropped': (text) => text.slice(0, text.lastIndexOf('/**')),
    'another path': put('export function getPet', "'/pets/{petId}'", "'/pet/{petId}'"),
    'another method': put('export function createPet', "'POST'", "'PUT'"),
    'an operation too many': (text) => `${text}export const dropPet = getPet;\n`,
  }),
  ...edits('generated', 'packages/types/src/gen/service.gen.ts', {
    'another version': (text) => text.replace(/version = '.*'/, "version = '0.0.1'"),
    'another address': (text) => text.replace('8081', '8082'),
  }),

  // petctl.
  ...edits('petctl', fieldFlags, {
    'a flag dropped': put(
      'function inputFlags',
      "field.in !== 'path'",
      "field.in !== 'path' && field.schema.type !== 'string'",
    ),
    'a flag without an input': put('function inputFlags', 'field: name,', "field: name === 'limit' ? 'size' : name,"),
    'another description of a flag': put(
      'function inputFlags',
      'field.schema, field.description)',
      'field.schema, field.description.toUpperCase())',
    ),
    'required flags not marked': put('function inputFlags', '...(field.required && { required: true as const }),', ''),
    'no bounds, enums and defaults': put(
      'function inputFlag(',
      '    schema,',
      "    schema: { type: typeof schema.type === 'string' ? schema.type : 'string' },",
    ),
  }),
  ...edits('petctl', commandTree, {
    'an argument without bounds': put(
      'function argumentsOf',
      'schema: field.schema',
      "schema: { type: field.schema.type ?? 'string' }",
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
    'a parser that accepts one too many': put('violationOf', 'value > maximum', 'value > maximum + 1'),
    'a parser that accepts one too few': put('violationOf', 'value < minimum', 'value <= minimum'),
  }),
  ...edits('petctl', 'apps/petctl/src/commands/completion.ts', {
    'enum values that are not completed': put('function valueWords', 'enumWords(schema)', '[]'),
    'flags that are not completed': put('function flagCandidates', 'flagsOf(node)', 'flagsOf(node).slice(1)'),
  }),
  ...edits('petctl', 'apps/petctl/src/commands/help/pages.ts', {
    'manual pages without flags': put('.SH OPTIONS', 'flagsOf(node)', 'globalFlags'),
  }),
  ...edits('petctl', 'docs/petctl.md', {
    'edited by hand': (text) => text.replace('pets list', 'pets ls'),
    gone: () => undefined,
  }),

  // Changes since the base. The tests of its rules are in breaking-*.test.ts.
  ...unannounced({
    'a bound that is narrowed': put(limit, 'maximum: 100', 'maximum: 50'),
    'a parameter that is removed': put(
      'operationId: listPets',
      / {8}- name: status\n[\s\S]*?(?= {8}- name: after)/,
      '',
    ),
    'a property that becomes required': put('    NewPet:', '[name, categoryId]', '[name, categoryId, status]'),
    'a value that is removed': put('    PetStatus:', 'pending, sold]', 'pending]'),
    'an operation that is removed': (text) =>
      text
        .replace(/ {2}\/pets\/\{petId\}:\n[\s\S]*?(?=\n {2}\/|\ncomponents:)/, '')
        .replace('x-successor: listPets', ''),
    'another name of a command': put(
      'operationId: listPets',
      'operationId: listPets',
      'operationId: listPets\n      x-command: pets all',
    ),
  }),
];
