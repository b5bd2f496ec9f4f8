import { type Changes, edits, generatedFrom, getPet, type PlantedDrift, put, source, specFile } from './planting.ts';

const { handlers, response } = source;

/** A change of the interface with all that belongs to it: what is generated, the handler, and a changeset. */
const announced = (changes: Changes, handler = ''): PlantedDrift[] =>
  edits('none', specFile, changes).map(({ check, name, edits: change }) => ({
    check,
    name: `${name}, with all that belongs to it`,
    edits: async (project) => {
      const packages = ['@petstore/spec', '@petstore/types', '@petstore/client', 'petctl', '@petstore/server'];
      const written = {
        ...(await change(project)),
        [handlers]: project.read(handlers).replace('  return {', `  return {\n${handler}`),
        '.changeset/more.md': `---\n${packages.map((one) => `"${one}": minor`).join('\n')}\n---\n\nMore.\n`,
      };
      return { ...written, ...(await generatedFrom(project.with(written))) };
    },
  }));

const shared =
  '"401": {$ref: "#/components/responses/Unauthorized"}, default: {$ref: "#/components/responses/UnexpectedError"}';
const headers =
  'headers: {X-Request-Id: {$ref: "#/components/headers/RequestId"}, X-Content-Type-Options: {$ref: "#/components/headers/NoSniff"}}';
const success = (schema: string) =>
  `"200": {description: ok, ${headers}, content: {application/json: {schema: ${schema}}}}`;
const listed = success('{type: array, items: {$ref: "#/components/schemas/Pet"}}');
const operation = (path: string, method: string, id: string, more: string, responses: string) =>
  `  ${path}:\n    ${method}:\n      operationId: ${id}\n      tags: [pets]\n      summary: More\n      description: More of it.\n${more}      responses: {${responses}, ${shared}}\n`;

/** Edits that nobody could notice, and changes that are complete. */
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
    'empty lines': (text) => text.replaceAll('\n  schemas:', '\n\n\n  schemas:'),
    'a folded text': put('    NewPet:', 'description: A pet', 'description: >-\n        A pet'),
  }),
  ...announced({
    'a status that a proxy returns': put(
      'operationId: createPet',
      '"409":',
      `"403":\n          description: Rejected by a proxy.\n          x-unreachable: A proxy sends it.\n          headers: {X-Request-Id: {$ref: "#/components/headers/RequestId"}}\n          content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}\n        "409":`,
    ),
    'an internal error that is declared': put(
      'operationId: createPet',
      '"409":',
      '"500":\n          $ref: "#/components/responses/UnexpectedError"\n        "409":',
    ),
    'an unavailability that is declared': put(
      'operationId: listPets',
      '"401":',
      '"503":\n          $ref: "#/components/responses/UnexpectedError"\n        "401":',
    ),
    'a larger page': put('name: limit', 'maximum: 100', 'maximum: 200'),
    'another description': put(
      'name: limit',
      'Maximum number of animals returned.',
      'How many animals are returned at most.',
    ),
    'another summary': put('operationId: listPets', 'List animals', 'List the animals'),
    'another example': put('requestBody:', 'name: Rex', 'name: Tom'),
    'another description of a tag': put('tags:', 'The pets of the store.', 'All pets of the store.'),
    'a later sunset': put(getPet, '2030-12-05', '2030-12-06'),
  }),
  ...announced({
    'an optional property': (text) =>
      text.replaceAll(
        '        status:\n          $ref: "#/components/schemas/PetStatus"',
        '        born:\n          type: string\n          description: When it was born.\n        status:\n          $ref: "#/components/schemas/PetStatus"',
      ),
    'a property that may be null': (text) =>
      text.replaceAll(
        '        status:\n          $ref: "#/components/schemas/PetStatus"',
        '        age:\n          type: [integer, "null"]\n          description: How old it is.\n        status:\n          $ref: "#/components/schemas/PetStatus"',
      ),
  }),
  ...announced(
    {
      'an operation with a required parameter, beside one with an identifier': put(
        getPet,
        getPet,
        operation(
          '/pets/find-by-status',
          'get',
          'findPets',
          '      parameters: [{name: status, in: query, required: true, description: Which., schema: {$ref: "#/components/schemas/PetStatus"}}]\n',
          `${listed}, "400": {$ref: "#/components/responses/InvalidRequest"}`,
        ) + getPet,
      ),
    },
    '    findPets: async () => [],\n',
  ),
  ...announced(
    {
      'an operation that needs no store': put(
        getPet,
        getPet,
        operation(
          '/about',
          'get',
          'getAbout',
          '',
          success('{type: object, required: [name], properties: {name: {type: string}}}'),
        ) + getPet,
      ),
    },
    "    getAbout: async () => ({ name: 'Petstore' }),\n",
  ),
  ...announced(
    {
      'an operation whose body may be left out': put(
        getPet,
        getPet,
        operation(
          '/searches',
          'post',
          'searchPets',
          '      x-no-idempotency-key: It only reads.\n      requestBody: {content: {application/json: {schema: {type: object, additionalProperties: false, properties: {word: {type: string, description: A word.}}}}}}\n',
          `${listed}, "400": {$ref: "#/components/responses/InvalidRequest"}`,
        ) + getPet,
      ),
    },
    '    searchPets: async () => [],\n',
  ),
  ...edits('none', handlers, {
    'a comment in a handler': (text) => text.replace('return {', '// As promised.\n  return {'),
    'another message': (text) => text.replace('There is no pet with the identifier', 'No pet has the identifier'),
    'another name of a variable': (text) => text.replaceAll('afterField', 'cursorField'),
  }),
  ...edits('none', response, {
    'headers in another order': (text) =>
      text.replace(
        "'X-Request-Id', requestId, ...(fixedHeaders.get(operation) ?? [])",
        "...(fixedHeaders.get(operation) ?? []), 'X-Request-Id', requestId",
      ),
  }),
  ...edits('none', 'apps/server/src/http/validation/violation.ts', {
    'another wording': (text) => text.replace("required: 'it is missing'", "required: 'it has to be there'"),
  }),
  ...edits('none', 'docs/operating.md', {
    'a route for operators': (text) => `${text}\nAsk \`GET /healthz\` and \`GET /metrics\`.\n`,
    'a command of npm': (text) => `${text}\n\`\`\`sh\nnpm ci\nnpm install --omit=dev\n\`\`\`\n`,
    'a variable in front of a command': (text) =>
      `${text}\n\`\`\`sh\nPORT=8099 npm start\nPETSTORE_DATA_DIR=/tmp npx @petstore/server keys list\n\`\`\`\n`,
    'a sentence written otherwise': (text) =>
      text.replace('For 24 hours, the same request', 'For one day, the same request'),
    'numbers of something else': (text) => `${text}\nIt took 3 hours, and 12 MiB of \`/dev/null\`.\n`,
    'an address for mail': (text) => `${text}\nWrite to [us](mailto:us@example.com), or [read on](#stopping).\n`,
    'a table and a picture': (text) => `${text}\n| a | b |\n|---|---|\n| 1 | 2 |\n`,
    'another language': (text) => `${text}\n\`\`\`ini\n[Service]\nExecStart=petstore-server\n\`\`\`\n`,
  }),
  ...edits('none', 'README.md', {
    'a link to another site': (text) => `${text}\nSee [OpenAPI](https://spec.openapis.org).\n`,
    'another sentence': (text) => text.replace('A store of pets', 'This is a store of pets'),
  }),
  ...edits('none', 'docs/security.md', {
    'a bound written otherwise': (text) =>
      text.replace('| 2 s |', '| 2 seconds |').replace('20,000, or 64 MiB', '20,000 or 64 MiB'),
  }),
  ...edits('none', 'docs/new.md', { 'a new page': () => '# New\n\nSee [the readme](../README.md).\n' }),
  ...edits('none', 'packages/client/src/errors.ts', { 'a comment in the client': (text) => `// Errors.\n${text}` }),
  ...edits('none', 'apps/petctl/src/commands/tree.ts', { 'a comment in petctl': (text) => `// Commands.\n${text}` }),
  ...edits('none', 'packages/types/package.json', {
    'keywords of a package': (text) => text.replace('"license"', '"keywords": ["pets"],\n  "license"'),
  }),
  ...edits('none', '.changeset/patch.md', { 'a changeset': () => '---\n"petctl": patch\n---\n\nFixed.\n' }),
];
