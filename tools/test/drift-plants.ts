// Contradictions in the spec, the pages and the generated files.
import { type Plant, plantsIn } from './support/drift.ts';

export const spec = 'spec/openapi.yaml';
const end = '\ncomponents:\n';
const petName = "      description: The animal's name.";
const link = '            Link: { $ref: "#/components/headers/NextPage" }';
const required = 'required: [name, categoryId]';
const statuses = '[available, pending, sold]';

/** The parameter `status` with all its lines. */
const statusParameter = /(?<=\n) {8}- name: status\n(?: {10}.*\n)+/;
/** The line of the property `status` that follows `id`, `name` and `categoryId`. */
const statusOfPet = /(?<= {8}id: .*\n.*\n.*\n).*status.*\n/;
/** The line `maximum: …` below `minimum: 1`. */
const upperBoundOfIds = /(?<=minimum: 1)\n {6}maximum: \d+/;

/** An operation without a handler, a method and a command. */
export const listToys = `  /toys:
    get:
      operationId: listToys
      tags: [toys]
      summary: List toys
      responses:
        "204": { description: There are none. }
        "401": { $ref: "#/components/responses/Unauthorized" }
        default: { $ref: "#/components/responses/UnexpectedError" }
${end}`;

export const documentPlants: readonly Plant[] = [
  ...plantsIn('generated', 'packages/client/src/gen/calls.gen.ts', [
    ['an edited method', 'List animals', 'List pets', 'calls.gen.ts'],
  ]),
  ...plantsIn('generated', 'packages/types/src/gen/more.gen.ts', [
    ['a file beside the generated ones', /^/, 'export {};', 'more.gen.ts is not generated'],
  ]),
  ...plantsIn('generated', spec, [
    ['another description', 'maximum number of animals', 'most animals', 'operations.gen.ts'],
  ]),

  ...plantsIn('document', spec, [
    ['an invalid example', 'example: 50', 'example: 500', 'must be <= 100'],
    ['an unsupported keyword', petName, `${petName}\n      readOnly: true`, 'readOnly'],
    ['a reference to nothing', 'responses/NotModified', 'responses/Unmodified', "Can't resolve"],
    ['a sunset that has passed', 'x-sunset: "2030', 'x-sunset: "2025', 'x-sunset has passed'],
    ['a code without a status', '        rate_limited: 429\n', '', 'x-statuses'],
    [
      'an error example with another status',
      'identifier 7., status: 404',
      'identifier 7., status: 400',
      'the example of not_found has the status 400',
    ],
    [
      'a POST without an idempotency key',
      '        - $ref: "#/components/parameters/IdempotencyKey"',
      '        []',
      'POST /pets: it has no idempotency key',
    ],
    ['another version', 'version: 1.0.0', 'version: 1.1.0', 'info.version'],
    ['an unused header', 'Version:\n', 'Age: { schema: { type: string } }\n    Version:\n', 'Age'],
    ['words against an extension', 'for 24 hours', 'for an hour', 'does not say 24 hours'],
    ['statuses against words', '[409, 429, 503]', '[409, 429, 502]', 'does not say 502'],
  ]),

  ...plantsIn('release', spec, [
    ['a narrower parameter', 'maximum: 100', 'maximum: 50', 'listPets limit: maximum'],
    ['a value that is gone', statuses, '[available, pending]', 'listPets status takes "sold"'],
    [
      'a required property of a body',
      required,
      'required: [name, categoryId, status]',
      'createPet: needs status',
    ],
    [
      'a property that responses no longer have',
      statusOfPet,
      '',
      "the removal of 'listPets 200 items status",
    ],
    ['a wider response', 'maximum: 599', 'maximum: 699', 'listPets 400 status: maximum'],
    ['a parameter that is gone', statusParameter, '', "the removal of 'listPets status'"],
    ['another path', '  /pets:\n', '  /animals:\n', 'listPets GET /pets'],
    ['another default', 'default: 20', 'default: 10', 'limit is 20 if it is left out'],
    [
      'a header that responses no longer have',
      `${link}\n`,
      '',
      "the removal of 'listPets 200 with link'",
    ],
    ['a bound that responses no longer have', upperBoundOfIds, '', 'id: maximum'],
  ]),
];

export const pagePlants: readonly Plant[] = [
  ...plantsIn('pages', 'docs/operating.md', [
    ['another default of a setting', '`8080`', '`8081`', "the part 'settings'"],
    ['a misspelt variable', 'set `PETSTORE_API_KEYS`', 'set `PETSTORE_API_KEY_S`', 'API_KEY_S'],
    ['a command that is gone', 'keys revoke nightly', 'keys remove nightly', 'keys remove'],
  ]),
  ...plantsIn('pages', 'docs/security.md', [
    ['another bound', '413, as soon', '400, as soon', "the part 'bounds'"],
    ['a flag that is gone', 'with `--admin-port`', 'with `--admin`', 'flag --admin'],
  ]),
  ...plantsIn('pages', 'packages/client/README.md', [
    ['another status', 'responded with 404', 'responded with 410', "the part 'errors'"],
    ['an error class that is gone', 'A `ResponseError`', 'A `StoreError`', 'StoreError'],
  ]),
  ...plantsIn('pages', 'docs/petctl.md', [
    ['another help', 'Hide notices', 'Hide warnings', "the part 'reference'"],
  ]),
  ...plantsIn('pages', 'README.md', [
    ['a misspelt flag', 'pets list --status', 'pets list --statis', '--statis'],
    ['a misspelt flag of the server', 'start -- --port', 'start -- --prot', 'flag --prot'],
    ['a command that is gone', 'petctl pets create', 'petctl pets add', 'pets add'],
    ['a link to nothing', '(docs/operating.md)', '(docs/operation.md)', 'docs/operation.md'],
    ['a link to no heading', '(docs/operating.md)', '(docs/operating.md#none)', '#none'],
    ['a variable that nothing reads', 'PETCTL_BASE_URL', 'PETCTL_BASE_UR', 'PETCTL_BASE_UR;'],
    ['a path that is gone', /$/, '\n`GET /pet` lists.\n', '/pet;'],
    ['a file that is gone', /$/, '\nSee `tools/drift/checks.ts`.\n', 'tools/drift/checks.ts'],
    ['an error code that is gone', /$/, '\nThe code `no_such_pet` is sent.\n', 'no_such_pet'],
    ['a script that is gone', /$/, '\nRun `npm run drfit`.\n', 'npm script drfit'],
  ]),
];
