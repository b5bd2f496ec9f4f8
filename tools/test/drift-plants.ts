// Contradictions that the drift script has to find, and edits that contradict nothing. They edit the spec, pages and generated
// files only, so that they outlive the code.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Copy } from './repository-copy.ts';

interface Options {
  /** Generates after the edit. */
  readonly generate?: boolean;
  /** Calls the spec before the edit released. */
  readonly released?: boolean;
  /** Adds a changeset. */
  readonly changeset?: 'minor' | 'major';
  /** Whether the quick run has it, too. */
  readonly quick?: boolean;
}

export interface Edit extends Options {
  readonly name: string;
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
  /** The check that runs; all if it is empty. */
  readonly check: string;
  /** What a finding has to say. */
  readonly says: string;
}

type Row = readonly [name: string, from: Edit['from'], to: string, says?: string, options?: Options];

const on = (check: string, file: string, rows: readonly Row[]): Edit[] =>
  rows.map(([name, from, to, says = '', options]) => ({ name, from, to, says, check, file, ...options }));

const spec = 'spec/openapi.yaml';
const end = '\ncomponents:\n';
const petName = "      description: The animal's name.";
const id = '        id: { $ref: "#/components/schemas/PetId" }';
const link = '            Link: { $ref: "#/components/headers/NextPage" }';
const notModified = '        "304": { $ref: "#/components/responses/NotModified" }';
const required = 'required: [name, categoryId]';
const statuses = '[available, pending, sold]';
const released = { released: true };
const quick = { quick: true };

/** An operation without a handler, a method and a command. */
const deletePet = `    delete:
      operationId: deletePet
      tags: [pets]
      summary: Remove an animal
      parameters:
        - { name: petId, in: path, required: true, schema: { $ref: "#/components/schemas/PetId" }, example: 1 }
      responses:
        "204": { description: Done. }
        "401": { $ref: "#/components/responses/Unauthorized" }
        default: { $ref: "#/components/responses/UnexpectedError" }
${end}`;

export const plants: readonly Edit[] = [
  ...on('generated', spec, [
    ['another description', 'Maximum number of animals', 'Most animals', 'operations.gen.ts'],
    ['an unsupported keyword', petName, `${petName}\n      readOnly: true`, 'readOnly'],
  ]),
  ...on('generated', 'packages/client/src/gen/calls.gen.ts', [
    ['an edited method', 'List animals', 'List pets', 'calls.gen.ts', quick],
  ]),
  ...on('generated', 'packages/types/src/gen/more.gen.ts', [
    ['a file beside the generated ones', /^/, 'export {};', 'more.gen.ts is not generated'],
  ]),

  ...on('document', spec, [
    ['a reference to nothing', 'responses/NotModified', 'responses/Unmodified', 'Unmodified'],
    ['an invalid example', 'example: 50', 'example: 500', 'must be <= 100', quick],
    ['a sunset that has passed', 'x-sunset: "2030', 'x-sunset: "2025', 'x-sunset has passed'],
    ['a code without a status', '        rate_limited: 429\n', '', 'x-statuses'],
    ['an error example with another status', 'identifier 7., status: 404', 'identifier 7., status: 400', '404'],
    ['another version', 'version: 1.0.0', 'version: 1.1.0', 'info.version'],
    ['an unused header', 'Version:\n', 'Age: { schema: { type: string } }\n    Version:\n', 'Age'],
  ]),

  ...on('server', spec, [
    ['a member that no answer has', id, `${id}\n        age: { type: integer }`, 'member age'],
    ['a required member that answers lack', 'required: [id, ', 'required: [id, status, ', "required property 'status'"],
    ['a member that answers may not have', /(?<= {8}id: .*\n.*\n.*\n).*status.*\n/, '', 'status'],
    ['a narrower answer', /(?<=minimum: 1\n {6}maximum: )\d+/, '3', '<= 3'],
    [
      'a required header',
      link,
      `${link}\n            X-Total: { required: true, schema: { type: integer } }`,
      'x-total',
      quick,
    ],
    [
      'a header that is not declared',
      'Idempotency-Replayed: {',
      'Retry-After: {',
      'idempotency-replayed is not declared',
    ],
    ['a status that is not declared', /"404":[\s\S]*? {8}(?=default)/, '', 'should get 400'],
    ['a status that no request gets', notModified, notModified.replace('304', '403'), '403: the status'],
    ['another status of a code', 'not_found: 404', 'not_found: 410', 'not_found'],
    ['another order', 'key: id', 'key: categoryId', 'GET /pets'],
    ['an operation without a handler', end, deletePet, 'DELETE /pets/{petId}', { generate: true }],
  ]),

  ...on('client', spec, [
    ['an operation without a method', end, deletePet, 'deletePet'],
    ['a parameter in another case', /petId(?=\}:|\n {10}in)/g, 'petID', 'getPet'],
    ['other idempotency keys', /pattern: \^\(\?:.*/, "pattern: '^[0-9]{4}$'", 'idempotency-key'],
    ['another success', '"201":', '"200":', 'the result for 200'],
    ['another path', '  /pets:\n', '  /animals:\n', '/v1/animals', quick],
  ]),

  ...on('petctl', spec, [
    ['a renamed parameter', '- name: status', '- name: state', '--state'],
    ['another summary', 'summary: List animals', 'summary: Show animals', 'Show animals'],
    ['a narrower bound', 'minimum: 0, maximum: 9007199254740991', 'minimum: 0, maximum: 1000', '1000'],
    ['a member that is required', required, 'required: [name, categoryId, status]', 'required'],
    ['one enum value more', statuses, '[available, pending, sold, lost]', 'lost'],
    ['one enum value less', statuses, '[available, pending]', 'the values', quick],
    ['another sunset', 'x-sunset: "2030-12-05"', 'x-sunset: "2031-12-05"', '2031-12-05'],
    ['an operation without a command', end, deletePet, 'pets delete'],
  ]),
  ...on('petctl', 'docs/petctl.md', [['an edited reference', '--jq <filter>', '--jql <filter>', 'npm run docs']]),

  ...on('pages', 'README.md', [
    ['a misspelt flag', 'pets list --status', 'pets list --statis', '--statis', quick],
    ['a command that is gone', 'petctl pets create', 'petctl pets add', 'pets add'],
    ['a link to nothing', '(docs/operating.md)', '(docs/operation.md)', 'docs/operation.md'],
    ['a link to no heading', '(docs/operating.md)', '(docs/operating.md#none)', 'docs/operating.md'],
    ['a variable that nothing reads', 'PETCTL_BASE_URL', 'PETCTL_BASE_UR', 'PETCTL_BASE_UR;'],
    ['a path that is gone', /$/, '\n`GET /pet` lists.\n', '/pet;'],
    ['a file that is gone', /$/, '\nSee `tools/drift/checks.ts`.\n', 'tools/drift/checks.ts'],
    ['an error code that is gone', /$/, '\nThe code `no_such_pet` is sent.\n', 'no_such_pet'],
    ['a script that is gone', /$/, '\nRun `npm run drfit`.\n', 'npm script drfit'],
  ]),
  ...on('pages', 'docs/operating.md', [
    ['another default of a setting', /(?<=\| `PORT` \|.*)8080/, '8090', 'PORT is 8080'],
    ['a setting that is left out', /\| `HOST` .*\n/, '', 'lacks HOST'],
  ]),

  ...on('release', spec, [
    ['a break without a changeset', 'maximum: 100', 'maximum: 50', 'maximum 100 → 50', { released: true, quick: true }],
    [
      'a break that is called minor',
      statuses,
      '[available, pending]',
      'say major',
      { released: true, changeset: 'minor' },
    ],
    ['an addition without a changeset', end, deletePet, 'DELETE /pets/{petId}', released],
    ['a widened answer', '["true"]', '["true", "false"]', 'idempotency-replayed', released],
  ]),
];

const generate = { generate: true };

export const harmless: readonly Edit[] = [
  ...on('', spec, [
    ['a comment in the spec', /^/, '# A comment.\n', '', generate],
    ['another description', 'Maximum number of animals', 'Most animals', '', generate],
    ['another example', 'example: 50', 'example: 60', '', generate],
    ['other quotes', statuses, `["available", 'pending', sold]`, '', generate],
    ['another order of enum values', statuses, '[sold, available, pending]', '', generate],
    ['a schema in place of a reference', '{ $ref: "#/components/schemas/PetName" }', '{ type: string }', '', generate],
  ]),
  ...on('pages', 'README.md', [
    ['more prose', /$/, '\n`petctl pets list -o jsonl` is `GET /v1/pets?limit=5`; see [why](docs/decisions.md).\n'],
  ]),
  ...on('pages', 'docs/tour.md', [
    [
      'another page',
      /^/,
      '# Tour\n\n```sh\nPORT=81 npm start # petctl needs this\nnpx petctl pets get 7 --dry-run\n```\n',
    ],
  ]),
  ...on('release', spec, [
    ['a break with a changeset', 'maximum: 100', 'maximum: 50', '', { released: true, changeset: 'major' }],
    ['an addition with a changeset', end, deletePet, '', { released: true, changeset: 'minor' }],
    ['a description that was released', 'Maximum number of animals', 'Most animals', '', released],
  ]),
];

/** What the drift script of a copy of the repository says after an edit, which is then undone. */
export function driftAfter(copy: Copy, { file, from, to, generate, released, changeset, check }: Edit) {
  const restored = [file, 'docs/petctl.md', '.changeset/edit.md'].map((name) => join(copy.folder, name));
  const texts = restored.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
  const base = join(copy.folder, 'released.yaml');
  writeFileSync(base, readFileSync(join(copy.folder, spec)));
  try {
    copy.change(file, (text) => text.replace(from, () => to));
    const names = ['@petstore/spec', '@petstore/types', '@petstore/client', 'petctl', '@petstore/server'];
    const head = names.map((name) => `'${name}': ${changeset}`).join('\n');
    if (changeset) copy.change('.changeset/edit.md', () => `---\n${head}\n---\n\nAn edit.\n`);
    if (generate) copy.generate();
    if (generate && check === '') runIn(copy, 'tools/reference.ts');
    return runIn(copy, 'tools/drift/main.ts', check ? [check] : [], released ? { PETSTORE_BASE: base } : {});
  } finally {
    for (const [i, path] of restored.entries()) {
      const text = texts[i];
      if (text === undefined) rmSync(path, { force: true });
      else writeFileSync(path, text);
    }
    rmSync(base);
    if (generate) copy.generate();
  }
}

/** Runs a file of the copy to its end. */
export function runIn(copy: Copy, file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: copy.folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy.folder, file), ...args], options);
  return { code: status, output: stdout + stderr };
}
