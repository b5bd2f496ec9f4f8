// Contradictions in the code of the server, the client, petctl and the generator. An edit whose place is gone fails, so that each
// of them stays one.
import { spec } from './drift-plants.ts';
import { type Edit, type Plant, plantsIn } from './support/drift.ts';

const server = 'apps/server/src';
const petctl = 'apps/petctl/src';
const client = 'packages/client/src';

const create = 'pets.create(pet)';
const listed = '{ limit, after, filters }';

/** From `"404":` to the line before the next response. */
const notFoundResponse = / {8}"404":[\s\S]*?(?= {8}default:)/;

/** A filter that the spec has. */
const newFilter: Edit = {
  file: spec,
  from: '        - name: after\n',
  to: `        - name: name
          in: query
          description: Return only pets with this name.
          schema: { $ref: "#/components/schemas/PetName" }
        - name: after
`,
};

/** A handler that hands only one filter to the store. */
const ignoringHandler: Edit = {
  file: `${server}/handlers.ts`,
  from: listed,
  to: '{ limit, after, filters: filters.status ? { status: filters.status } : {} }',
};

export const serverPlants: readonly Plant[] = [
  ...plantsIn('server', `${server}/handlers.ts`, [
    [
      'a name that is cut',
      create,
      'pets.create({ ...pet, name: pet.name.slice(0, 2_000) })',
      'POST /pets: the property name',
    ],
    [
      'a name that is trimmed',
      create,
      'pets.create({ ...pet, name: pet.name.trim() })',
      'POST /pets: the property name',
    ],
    [
      'a status that is invented',
      create,
      "pets.create({ status: 'available', ...pet })",
      'POST /pets: the property status',
    ],
    [
      'an int64 that is rounded',
      create,
      'pets.create({ ...pet, categoryId: Number(pet.categoryId) })',
      'POST /pets',
    ],
    [
      'a filter that ignores the limit',
      listed,
      '{ limit: filters.status ? limitField.schema.default : limit, after, filters }',
      'GET /pets?status: the documents',
    ],
    [
      'a filter that ignores the cursor',
      listed,
      '{ limit, after: filters.status ? 0 : after, filters }',
      'GET /pets?status: the documents',
    ],
    ['a filter that is ignored', listed, '{ limit, after }', 'GET /pets?status: the documents'],
    [
      'a cursor that is included',
      listed,
      '{ limit, after: Math.max(0, after - 1), filters }',
      'GET /pets: the documents',
    ],
    [
      'another default',
      'limit = limitField.schema.default',
      'limit = 25',
      'GET /pets: the documents',
    ],
    [
      'another error',
      "HttpError('not_found'",
      "HttpError('invalid_request'",
      'GET /pets/{petId} 400',
    ],
  ]),
  {
    name: 'a new query parameter that the handler ignores',
    check: 'server',
    edits: [newFilter, ignoringHandler],
    isGenerated: true,
    says: 'GET /pets?name: the documents',
  },
  ...plantsIn('server', spec, [
    [
      'a 404 that is no longer declared',
      notFoundResponse,
      '',
      'GET /pets/{petId} 404: the status is about the inputs',
    ],
    [
      'a property that no response has',
      '        id: { $ref: "#/components/schemas/PetId" }',
      '        id: { $ref: "#/components/schemas/PetId" }\n        age: { type: integer }',
      'the property age is in no response',
    ],
    [
      'a status that no request gets',
      '"304": { $ref',
      '"403": { $ref',
      'GET /pets 403: the status is in no response',
    ],
    [
      'a parameter that names no property',
      '- name: status',
      '- name: state',
      'state is no property of what is listed',
    ],
  ]),
  ...plantsIn('server', `${server}/send.ts`, [
    [
      'an ETag of the path',
      'etagOf(target, body)',
      'etagOf(target, operation.path)',
      'the ETag does not change with the response',
    ],
    [
      'a repetition without its mark',
      "headers: ['Idempotency-Replayed', 'true']",
      'headers: []',
      'Idempotency-Replayed',
    ],
    [
      'a link that forgets the query',
      'new URLSearchParams(target.query.map(([name, value]) => [name, value]))',
      'new URLSearchParams()',
      'the link to the next page does not keep',
    ],
  ]),
  ...plantsIn('server', `${server}/errors.ts`, [
    [
      'a 503 without Retry-After',
      "HttpError('unavailable', message, { headers: RETRY_SOON, cause })",
      "HttpError('unavailable', message, { cause })",
      '503: the header retry-after is missing',
    ],
    ['a 405 without Allow', '{ headers: { Allow: allow } }', '{}', 'Allow'],
    ['another status in the body', 'status: this.status }', 'status: 400 }', 'the property status'],
  ]),
  ...plantsIn('server', `${server}/store/store.ts`, [
    [
      'keys that are kept for an hour',
      'milliseconds: 24 * 3_600_000',
      'milliseconds: 3_600_000',
      'before its 24 hours have passed',
    ],
    [
      'keys that are kept for a week',
      'milliseconds: 24 * 3_600_000',
      'milliseconds: 7 * 24 * 3_600_000',
      'after 24 hours: the executions',
    ],
  ]),
  ...plantsIn('server', `${server}/call.ts`, [
    [
      'requests that overlap and are both executed',
      'if (running.has(id)) throw inFlight();',
      '',
      'POST /pets 409: the status is in no response',
    ],
  ]),
  ...plantsIn('server', `${server}/access.ts`, [
    [
      'a 401 without a challenge',
      "headers: { 'WWW-Authenticate': 'Bearer' },",
      '',
      'the header www-authenticate is missing',
    ],
    [
      'a key of any scheme',
      "scheme.toLowerCase() === 'bearer'",
      "scheme !== ''",
      'this request should get 401',
    ],
    [
      'another error for too many requests',
      "'rate_limited', message",
      "'unavailable', message",
      '429',
    ],
  ]),
  ...plantsIn('server', `${server}/parameters.ts`, [
    [
      'unknown parameters that are ignored',
      'if (!isDeclared) throw invalid',
      'if (!isDeclared) continue;\n    if (!isDeclared) throw invalid',
      'this request should get 400',
    ],
  ]),
  ...plantsIn('server', `${server}/app.ts`, [
    ['a larger body', 'bodyLimit = 2 ** 20', 'bodyLimit = 2 ** 24', 'should get 413'],
  ]),
  ...plantsIn('server', `${server}/send.ts`, [
    ['another sunset', 'new Date(sunset).toUTCString()', 'sunset', 'Sunset'],
  ]),
];

export const clientPlants: readonly Plant[] = [
  ...plantsIn('client', `${client}/errors.ts`, [
    [
      'two error classes exchanged',
      'if (status === 404) return NotFoundError;\n  if (status === 429) return RateLimitedError;',
      'if (status === 404) return RateLimitedError;\n  if (status === 429) return NotFoundError;',
      'the class of the error for 404',
    ],
    [
      'a message that is lost',
      'super((isOfService ? message',
      'super((isOfService ? code',
      ': message',
    ],
  ]),
  ...plantsIn('client', `${client}/pages.ts`, [
    [
      'a list that ends after two pages',
      'const isLast = !page.hasMore ||',
      'const isLast = result !== (await first) || !page.hasMore ||',
      'the elements that for await gives',
    ],
  ]),
  ...plantsIn('client', `${client}/request.ts`, [
    [
      'a parameter that is dropped',
      'if (item !== undefined && item !== null) query',
      "if (item !== undefined && item !== null && name !== 'status') query",
      'listPets: the query of the request',
    ],
    [
      'an int64 that is rounded',
      'body === undefined ? null : exactJson(body)',
      "body === undefined ? null : JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? Number(value) : value))",
      'createPet: the body of the request',
    ],
    [
      'a body without its media type',
      "if (body !== null) headers['content-type'] = 'application/json';",
      '',
      'createPet: the headers of the request',
    ],
    [
      'one idempotency key for all calls',
      'function randomKey(): string {',
      "function randomKey(): string {\n  return 'always-the-same';",
      'two calls have the same idempotency key',
    ],
  ]),
  ...plantsIn('client', `${client}/retry.ts`, [
    [
      'a 503 that is not tried again',
      'status === 429 || (status >= 500 && status !== 501)',
      'status === 429',
      'the number of requests after two responses 503',
    ],
  ]),
  ...plantsIn('client', `${client}/attempt.ts`, [
    [
      'an undeclared status that is taken for a success',
      'if (!successes.includes(status)) throw',
      'if (status >= 300) throw',
      'the class of the error for 299',
    ],
  ]),
];

export const petctlPlants: readonly Plant[] = [
  ...plantsIn('petctl', `${petctl}/commands/field-flags.ts`, [
    [
      'a flag that is dropped',
      'if (words !== undefined) input[name] = parse(words);',
      "if (words !== undefined && name !== 'status') input[name] = parse(words);",
      'petctl pets list: the query of the request',
    ],
    [
      'a flag with another name',
      'return fieldFlag(name, flag, field)',
      "return fieldFlag(name, flag.replace('-id', ''), field)",
      'petctl pets create: the error of a valid call',
    ],
  ]),
  ...plantsIn('petctl', `${petctl}/commands/operations.ts`, [
    [
      'data that is not read',
      'await readData(data, operation, session.context.stdin)',
      'await Promise.resolve({})',
      'petctl pets create: the error of a valid call',
    ],
    [
      'another time in the help',
      'within 24 hours has no',
      'within 12 hours has no',
      'petctl pets create: what its help does not say',
    ],
    [
      'a limit of one more',
      'return Number(parseValue({ text: limit',
      'return 1 + Number(parseValue({ text: limit',
      'petctl pets list: the query of the request',
    ],
  ]),
  ...plantsIn('petctl', `${petctl}/commands/call-operation.ts`, [
    [
      '--all that reads one page',
      'if (wanted === undefined) yield',
      'if (wanted === undefined || wanted > 1e9) yield',
      'petctl pets list: what --all prints',
    ],
  ]),
  ...plantsIn('petctl', `${petctl}/service/explain-error.ts`, [
    [
      'another exit code',
      "if (status === 404) return 'not_found';",
      "if (status === 404) return 'rejected';",
      'petctl pets get: the exit code for 404',
    ],
    [
      'a message that is lost',
      'new CliError(kind, error.message, hintFor',
      "new CliError(kind, 'It failed.', hintFor",
      'whether it prints the message of',
    ],
  ]),
  ...plantsIn('petctl', `${petctl}/service/client.ts`, [
    [
      'a deprecation that is not told',
      'reporter.notice(deprecationOf(operation, sunset))',
      "reporter.notice('')",
      'petctl pets get: whether it says when it ends',
    ],
  ]),
];

const table = 'tools/generate/table.ts';

/** Faults of the generator, after which the code is generated anew. */
export const generatorPlants: readonly Plant[] = [
  ...plantsIn('server', table, [
    [
      'a parameter that is not generated',
      'filter((parameter) => parameter !== key)',
      "filter((parameter) => parameter !== key && parameter.name !== 'status')",
      'GET /pets 400: these inputs should get 200',
    ],
    [
      'inputs that are all optional',
      'required: required === true,',
      'required: false,',
      'should get 400',
    ],
  ]),
  ...plantsIn('client', table, [
    [
      'another method',
      'method: method.toUpperCase() as',
      "method: method.toUpperCase().replace('POST', 'PUT') as",
      'createPet: the method of the request',
    ],
  ]),
].map((plant) => ({ ...plant, isGenerated: true }));
