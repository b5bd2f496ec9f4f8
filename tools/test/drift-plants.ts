// Contradictions that the drift script has to find. They edit the spec, pages and generated files only, so that they outlive the
// code.

/** An edit of a file, and what a finding has to say. */
export interface Plant {
  readonly check: string;
  readonly file: string;
  readonly name: string;
  readonly from: string | RegExp;
  readonly to: string;
  readonly says: string;
}

type Row = readonly [name: string, from: string | RegExp, to: string, says: string];

const on = (check: string, file: string, rows: readonly Row[]): Plant[] =>
  rows.map(([name, from, to, says]) => ({ check, file, name, from, to, says }));

const spec = 'spec/openapi.yaml';
const end = '\ncomponents:\n';
const petName = "      description: The animal's name.";
const id = '        id: { $ref: "#/components/schemas/PetId" }';
const link = '            Link: { $ref: "#/components/headers/NextPage" }';
const required = 'required: [name, categoryId]';
const statuses = '[available, pending, sold]';

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

/** The first of each check is in the quick run, too. */
export const plants: readonly Plant[] = [
  ...on('generated', 'packages/client/src/gen/calls.gen.ts', [
    ['an edited method', 'List animals', 'List pets', 'calls.gen.ts'],
  ]),
  ...on('generated', 'packages/types/src/gen/more.gen.ts', [
    ['a file beside the generated ones', /^/, 'export {};', 'more.gen.ts is not generated'],
  ]),
  ...on('generated', spec, [
    ['another description', 'Maximum number of animals', 'Most animals', 'operations.gen.ts'],
  ]),

  ...on('document', spec, [
    ['an invalid example', 'example: 50', 'example: 500', 'must be <= 100'],
    ['an unsupported keyword', petName, `${petName}\n      readOnly: true`, 'readOnly'],
    ['a reference to nothing', 'responses/NotModified', 'responses/Unmodified', "Can't resolve"],
    ['a sunset that has passed', 'x-sunset: "2030', 'x-sunset: "2025', 'x-sunset has passed'],
    ['a code without a status', '        rate_limited: 429\n', '', 'x-statuses'],
    [
      'an error example with another status',
      'identifier 7., status: 404',
      'identifier 7., status: 400',
      '400',
    ],
    ['another version', 'version: 1.0.0', 'version: 1.1.0', 'info.version'],
    ['an unused header', 'Version:\n', 'Age: { schema: { type: string } }\n    Version:\n', 'Age'],
  ]),

  ...on('server', spec, [
    ['a member that no answer has', id, `${id}\n        age: { type: integer }`, 'member age'],
    [
      'a required member that answers lack',
      'required: [id, ',
      'required: [id, status, ',
      "required property 'status'",
    ],
    ['a member that answers may not have', /(?<= {8}id: .*\n.*\n.*\n).*status.*\n/, '', 'status'],
    ['a narrower answer', /(?<=minimum: 1\n {6}maximum: )\d+/, '3', '<= 3'],
    [
      'a required header',
      link,
      `${link}\n            X-Total: { required: true, schema: { type: integer } }`,
      'required header x-total is missing',
    ],
    [
      'a header that is not declared',
      'Idempotency-Replayed: {',
      'Retry-After: {',
      'idempotency-replayed is not declared',
    ],
    [
      'a status that is not declared',
      /"404":[\s\S]*?(?=\ncomponents)/,
      '',
      '404: the status is not declared',
    ],
    ['a status that no request gets', '"304": { $ref', '"403": { $ref', '403: the status'],
    ['another status of a code', 'not_found: 404', 'not_found: 410', 'not_found'],
    ['another order', 'key: id', 'key: categoryId', 'GET /pets'],
    ['an operation without a handler', end, listToys, 'GET /toys'],
  ]),

  ...on('client', spec, [
    ['another path', '  /pets:\n', '  /animals:\n', '/v1/animals'],
    ['an operation without a method', end, listToys, 'listToys'],
    ['a parameter in another case', /petId(?=\}:|\n {10}in)/g, 'petID', 'getPet'],
    ['other idempotency keys', /pattern: \^\(\?:.*/, "pattern: '^[0-9]{4}$'", 'idempotency-key'],
    ['another success', '"201":', '"200":', 'the result for 200'],
  ]),

  ...on('petctl', spec, [
    ['one enum value less', statuses, '[available, pending]', 'says sold'],
    ['one enum value more', statuses, '[available, pending, sold, lost]', 'does not say lost'],
    ['a renamed parameter', '- name: status', '- name: state', '--state'],
    ['another summary', 'summary: List animals', 'summary: Show animals', 'Show animals'],
    [
      'a narrower bound',
      'minimum: 0, maximum: 9007199254740991',
      'minimum: 0, maximum: 1000',
      '1000',
    ],
    ['a member that is required', required, 'required: [name, categoryId, status]', 'required'],
    ['another sunset', 'x-sunset: "2030-12-05"', 'x-sunset: "2031-12-05"', '2031-12-05'],
    ['an operation without a command', end, listToys, 'toys list'],
  ]),

  ...on('pages', 'README.md', [
    ['a misspelt flag', 'pets list --status', 'pets list --statis', '--statis'],
    ['a command that is gone', 'petctl pets create', 'petctl pets add', 'pets add'],
    ['a link to nothing', '(docs/operating.md)', '(docs/operation.md)', 'docs/operation.md'],
    [
      'a link to no heading',
      '(docs/operating.md)',
      '(docs/operating.md#none)',
      'docs/operating.md',
    ],
    ['a variable that nothing reads', 'PETCTL_BASE_URL', 'PETCTL_BASE_UR', 'PETCTL_BASE_UR;'],
    ['a path that is gone', /$/, '\n`GET /pet` lists.\n', '/pet;'],
    ['a file that is gone', /$/, '\nSee `tools/drift/checks.ts`.\n', 'tools/drift/checks.ts'],
    ['an error code that is gone', /$/, '\nThe code `no_such_pet` is sent.\n', 'no_such_pet'],
    ['a script that is gone', /$/, '\nRun `npm run drfit`.\n', 'npm script drfit'],
  ]),

  ...on('pages', 'docs/operating.md', [
    [
      'a command of the server that is gone',
      'petstore-server keys revoke',
      'petstore-server keys remove',
      'keys remove',
    ],
  ]),

  ...on('release', spec, [
    ['a narrower parameter', 'maximum: 100', 'maximum: 50', 'listPets limit: maximum'],
    ['a status that is gone', statuses, '[available, pending]', 'listPets status takes "sold"'],
    [
      'a required member of a body',
      required,
      'required: [name, categoryId, status]',
      'createPet: needs status',
    ],
    [
      'a member that answers no longer have',
      /(?<= {8}id: .*\n.*\n.*\n).*status.*\n/,
      '',
      "the removal of 'listPets 200 items status",
    ],
    ['a wider answer', 'maximum: 599', 'maximum: 699', 'listPets 400 status: maximum'],
    [
      'a parameter that is gone',
      /(?<=\n) {8}- name: status\n(?: {10}.*\n)+/,
      '',
      "the removal of 'listPets status'",
    ],
    ['another path', '  /pets:\n', '  /animals:\n', 'listPets GET /pets'],
    ['another default', 'default: 20', 'default: 10', 'limit is 20 if it is left out'],
    [
      'a header that answers no longer have',
      `${link}\n`,
      '',
      "the removal of 'listPets 200 with link'",
    ],
    ['a bound that answers no longer have', /(?<=minimum: 1)\n {6}maximum: \d+/, '', 'id: maximum'],
  ]),
];
