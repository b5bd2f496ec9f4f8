// Small documents for the generator. Each has the operation `op`.

interface Supported {
  name: string;
  document: string;
  /** What `operations.op` contains. */
  table?: object;
  /** How the client writes its requests. */
  wire?: object;
  /** TypeScript that must compile beside the types. */
  types?: string;
}

const get = (more: string) =>
  `paths:\n  /a:\n    get:\n      operationId: op\n      tags: [a]\n${more.replace(/^/gm, '      ')}`;
const done = 'responses: { "204": { description: Done. } }';
const query = (schema: string, more = '') =>
  get(`parameters: [{ name: q, in: query, ${more}schema: ${schema} }]\n${done}`);
const returns = (schema: string) =>
  get(`responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`);
const post = (schema: string, more = 'required: true') =>
  get(`requestBody: { ${more}, content: { application/json: { schema: ${schema} } } }\n${done}`).replace(
    'get:',
    'post:',
  );
const schemas = (text: string) => `\ncomponents:\n  schemas:\n${text.replace(/^/gm, '    ')}`;
const inputIs = (type: string) => `check<Equal<Input<'op'>, ${type}>>();`;
const resultIs = (type: string) => `check<Equal<Result<'op'>, ${type}>>();`;

export const supported: Supported[] = [
  {
    name: 'a string in a query',
    document: query('{ type: string }'),
    table: { method: 'GET', path: '/a', command: ['a', 'op'], fields: { q: { in: 'query', required: false } } },
    wire: { method: 'GET', path: '/a', query: ['q'], successes: [204], empty: [204] },
    types: `${inputIs('{ q?: string }')} ${resultIs('undefined')} check<Equal<Arguments<'op'>, [input?: { q?: string }]>>();`,
  },
  {
    name: 'a required number',
    document: query('{ type: number }', 'required: true, '),
    types: inputIs('{ q: number }'),
  },
  { name: 'a boolean', document: query('{ type: boolean }'), types: inputIs('{ q?: boolean }') },
  { name: 'an enum', document: query('{ type: string, enum: [x, y] }'), types: inputIs("{ q?: 'x' | 'y' }") },
  { name: 'a const', document: query('{ const: x }'), types: inputIs("{ q?: 'x' }") },
  {
    name: 'int64 without bounds',
    document: query('{ type: integer, format: int64 }'),
    types: inputIs('{ q?: number | bigint }'),
  },
  {
    name: 'int64 with exact bounds',
    document: query('{ type: integer, format: int64, minimum: 0, maximum: 9007199254740991 }'),
    types: inputIs('{ q?: number }'),
  },
  {
    name: 'an array in a query',
    document: query('{ type: array, items: { type: integer } }'),
    types: inputIs('{ q?: number[] }'),
  },
  {
    name: 'a header and a path parameter',
    document: `paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    delete:
      operationId: op
      tags: [a]
      parameters: [{ name: X-Reason, in: header, schema: { type: string } }]
      ${done}`,
    wire: { method: 'DELETE', path: '/a/{id}', headers: ['X-Reason'], successes: [204], empty: [204] },
    types: inputIs("{ id: string; 'X-Reason'?: string }"),
  },
  {
    name: 'an object as a body',
    document: post('{ type: object, required: [n], properties: { n: { type: string }, m: { type: integer } } }'),
    table: {
      body: { required: true },
      fields: { n: { in: 'body', required: true }, m: { in: 'body', required: false } },
    },
    wire: { method: 'POST', path: '/a', body: 'properties', successes: [204], empty: [204] },
    types: inputIs('{ n: string; m?: number }'),
  },
  {
    name: 'a body by allOf',
    document:
      post(
        `{ allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, required: [m], properties: { m: { type: integer } } }] }`,
      ) + schemas('Base: { type: object, properties: { n: { type: string } } }'),
    table: { fields: { n: { in: 'body' }, m: { in: 'body', required: true } } },
    types: "const input: Input<'op'> = { n: 'x', m: 1 }; export { input };",
  },
  {
    name: 'a body by oneOf',
    document: post(
      '{ oneOf: [{ type: object, properties: { a: { type: string } } }, { type: object, properties: { b: { type: string } } }] }',
    ),
    table: { body: { required: true, whole: true }, fields: { body: { in: 'body', required: true } } },
    wire: { method: 'POST', path: '/a', body: 'whole', successes: [204], empty: [204] },
    types: inputIs('{ body: { a?: string } | { b?: string } }'),
  },
  {
    name: 'an array as a body',
    document: post('{ type: array, items: { type: string } }'),
    types: inputIs('{ body: string[] }'),
  },
  {
    name: 'an optional body with required properties',
    document: post('{ type: object, required: [n], properties: { n: { type: string } } }', 'description: The n'),
    table: { body: { required: false, whole: true } },
    types: inputIs('{ body?: { n: string } }'),
  },
  {
    name: 'a property with the name of a parameter',
    document: get(`parameters: [{ name: n, in: query, schema: { type: string } }]
requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { n: { type: string } } } } } }
${done}`).replace('get:', 'put:'),
    table: { fields: { n: { in: 'query' }, body: { in: 'body' } } },
    types: inputIs('{ n?: string; body: { n?: string } }'),
  },
  {
    name: 'nullable types',
    document: returns("{ type: object, required: [n], properties: { n: { type: [string, 'null'] } } }"),
    types: resultIs('{ n: string | null }'),
  },
  {
    name: 'anyOf',
    document: returns('{ anyOf: [{ type: string }, { type: integer }] }'),
    types: resultIs('string | number'),
  },
  {
    name: 'additionalProperties',
    document: returns('{ type: object, additionalProperties: { type: integer } }'),
    types: resultIs('{ [key: string]: number }'),
  },
  {
    name: 'a reference with its own description',
    document:
      returns(`{ type: object, properties: { s: { $ref: '#/components/schemas/Size', description: Its size. } } }`) +
      schemas('Size: { type: string, description: A size., enum: [s, m] }'),
    table: { responses: { '200': { schema: { properties: { s: { description: 'Its size.', enum: ['s', 'm'] } } } } } },
    types: resultIs("{ s?: 's' | 'm' }"),
  },
  {
    name: 'a schema that contains itself',
    document:
      returns(`{ $ref: '#/components/schemas/Tree' }`) +
      schemas(
        `Tree: { type: object, required: [children], properties: { children: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }`,
      ),
    table: { responses: { '200': { schema: { $ref: '#/components/schemas/Tree' } } } },
    types: "const tree: Result<'op'> = { children: [{ children: [] }] }; export { tree };",
  },
  {
    name: 'a schema with the name of a global type',
    document: returns(`{ $ref: '#/components/schemas/Date' }`) + schemas('Date: { type: string, format: date }'),
    types: resultIs('string'),
  },
  {
    name: 'several successes',
    document: get(
      'responses: { "200": { description: OK, content: { application/json: { schema: { type: string } } } }, "204": { description: None. } }',
    ),
    table: { successes: ['200', '204'] },
    types: resultIs('{ status: 200; data: string } | { status: 204; data: undefined }'),
  },
  {
    name: 'pages',
    document: get(`x-pagination: { cursor: after, key: id, limit: limit }
parameters:
  - { name: limit, in: query, schema: { type: integer } }
  - { name: after, in: query, schema: { type: integer } }
responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { type: string } } } } } }`),
    table: { pagination: { cursor: 'after', key: 'id', limit: 'limit' } },
    wire: { method: 'GET', path: '/a', query: ['limit', 'after'], pagination: { cursor: 'after', key: 'id' } },
  },
  {
    name: 'an idempotency key',
    document: post('{ type: object, properties: { n: { type: string } } }').replace(
      'requestBody',
      'parameters: [{ name: Idempotency-Key, in: header, x-idempotency-key: true, schema: { type: string } }]\n      requestBody',
    ),
    table: { idempotencyKey: { header: 'Idempotency-Key' } },
    wire: {
      method: 'POST',
      path: '/a',
      body: 'properties',
      idempotencyKey: 'Idempotency-Key',
      successes: [204],
      empty: [204],
    },
    types: inputIs('{ n?: string }'),
  },
  {
    name: 'a deprecated operation with a command of its own',
    document: get(`deprecated: true
x-deprecated-since: "2026-01-01"
x-sunset: "2030-12-31"
x-command: things drop
x-stability-level: beta
${done}`),
    table: {
      deprecated: true,
      deprecatedSince: '2026-01-01',
      sunset: '2030-12-31',
      command: ['things', 'drop'],
      stability: 'beta',
    },
    wire: { method: 'GET', path: '/a', deprecated: { sunset: '2030-12-31' }, successes: [204], empty: [204] },
  },
];

interface Refused {
  name: string;
  document: string;
  /** The word at the place, and the message. */
  refusals: string[];
}

export const refused: Refused[] = [
  {
    name: 'another version',
    document:
      'openapi: 3.0.3\ninfo: { title: T, version: 1.0.0 }\nsecurity: [{ bearer: [] }]\npaths: { /a: { get: { operationId: op, responses: { "204": { description: Done. } } } } }\ncomponents: { securitySchemes: { bearer: { type: http, scheme: bearer } } }\n',
    refusals: ['openapi: OpenAPI 3.0.3 is not supported; write openapi: 3.1.0.'],
  },
  {
    name: 'a cookie',
    document: query('{ type: string }').replace('in: query', 'in: cookie'),
    refusals: ['in: the cookie q is not supported; use a header or a query parameter.'],
  },
  {
    name: 'a style',
    document: query('{ type: array, items: { type: string } }', 'style: pipeDelimited, '),
    refusals: ['style: style pipeDelimited is not supported; leave it out: it is form.'],
  },
  {
    name: 'explode: false',
    document: query('{ type: array, items: { type: string } }', 'explode: false, '),
    refusals: ['explode: explode: false is not supported; leave it out, and repeat the parameter for each value.'],
  },
  {
    name: 'an object in a query',
    document: query('{ type: object }'),
    refusals: [
      'schema: a query parameter that is no scalar is not supported; use string, number, integer, boolean, or an array of them.',
    ],
  },
  {
    name: 'an array in a header',
    document: query('{ type: array, items: { type: string } }').replace('in: query', 'in: header'),
    refusals: ['schema: a header parameter that is no scalar is not supported; use string, number, integer, boolean.'],
  },
  {
    name: 'a form',
    document: post('{ type: object }').replace('application/json', 'application/x-www-form-urlencoded'),
    refusals: [
      'application/x-www-form-urlencoded: the media type application/x-www-form-urlencoded is not supported; use application/json.',
    ],
  },
  {
    name: 'a file',
    document: post('{ type: string, format: binary }'),
    refusals: [
      'format: format binary is not supported; use int32, int64, float, double, date, date-time, time, duration, uuid, email, hostname, ipv4, ipv6, uri, uri-reference, or a pattern.',
    ],
  },
  {
    name: 'text as a result',
    document: returns('{ type: string }').replace('application/json', 'text/plain'),
    refusals: ['text/plain: the media type text/plain is not supported; use application/json.'],
  },
  {
    name: 'security of an operation',
    document: get(`security: []\n${done}`),
    refusals: [
      'security: security in Operation is not supported; remove it: the security of the document applies to each operation.',
    ],
  },
  {
    name: 'servers of a path',
    document: `paths:\n  /a:\n    servers: [{ url: https://b.test }]\n    get: { operationId: op, ${done} }`,
    refusals: [
      'servers: servers in PathItem is not supported; remove it: the servers of the document apply to each operation.',
    ],
  },
  {
    name: 'callbacks',
    document: get(`callbacks: {}\n${done}`),
    refusals: ['callbacks: callbacks in Operation is not supported; describe them in another document.'],
  },
  {
    name: 'HEAD',
    document: `paths:\n  /a:\n    head: { operationId: op, ${done} }`,
    refusals: ['head: head in PathItem is not supported; remove it: the server answers HEAD wherever there is GET.'],
  },
  {
    name: 'a body of GET',
    document: post('{ type: string }').replace('post:', 'get:'),
    refusals: ['requestBody: a body of GET is not supported; use POST or PUT.'],
  },
  {
    name: 'no operationId',
    document: get(done).replace('      operationId: op\n', ''),
    refusals: ["get: the operationId '' is not supported; write a name such as listPets."],
  },
  {
    name: 'an operationId that is no name',
    document: get(done).replace('op\n', 'list pets\n'),
    refusals: ["operationId: the operationId 'list pets' is not supported; write a name such as listPets."],
  },
  {
    name: 'no success',
    document: get('responses: { "404": { description: None. } }'),
    refusals: ['responses: an operation without a success is not supported; declare a response such as "200".'],
  },
  {
    name: 'a range of statuses',
    document: get('responses: { "204": { description: Done. }, 4XX: { description: Wrong. } }'),
    refusals: ['4XX: the status 4XX is not supported; write one status, or default.'],
  },
  {
    name: 'nullable',
    document: returns('{ type: string, nullable: true }'),
    refusals: ["nullable: nullable in Schema is not supported; write type: [string, 'null']."],
  },
  {
    name: 'readOnly',
    document: returns('{ type: string, readOnly: true }'),
    refusals: ['readOnly: readOnly in Schema is not supported; declare two schemas, as NewPet and Pet.'],
  },
  {
    name: 'a discriminator',
    document: returns('{ oneOf: [{ type: object }], discriminator: { propertyName: kind } }'),
    refusals: [
      'discriminator: discriminator in Schema is not supported; give each alternative of oneOf a property with const.',
    ],
  },
  {
    name: 'several types',
    document: returns('{ type: [string, integer] }'),
    refusals: [
      "type: type [string,integer] is not supported; write oneOf for several types; [string, 'null'] allows null.",
    ],
  },
  {
    name: 'an integer that YAML rounds',
    document: returns('{ type: integer, maximum: 9223372036854775807 }'),
    refusals: [
      'maximum: a number beyond ±(2^53−1) in maximum is not supported; leave it out: int64 has its own bounds.',
    ],
  },
  {
    name: 'a pattern that does not compile',
    document: returns("{ type: string, pattern: '[' }"),
    refusals: ['pattern: the pattern [ is not supported; write a regular expression that compiles with the flag u.'],
  },
  {
    name: 'another file',
    document: returns("{ $ref: 'pets.yaml#/Pet' }"),
    refusals: ['$ref: the reference pets.yaml#/Pet is not supported; refer to a component of this document.'],
  },
  {
    name: 'a keyword beside a reference',
    document: returns("{ $ref: '#/components/schemas/A', minLength: 1 }") + schemas('A: { type: string }'),
    refusals: ['minLength: minLength beside $ref is not supported; move it to the target.'],
  },
  {
    name: 'a misspelt extension',
    document: get(`x-comand: a list\n${done}`),
    refusals: ['x-comand: x-comand in Operation is not supported; remove it, or correct its name.'],
  },
  {
    name: 'a misspelt part of x-pagination',
    document: get(`x-pagination: { curser: after }\n${done}`),
    refusals: [
      'x-pagination: this x-pagination is not supported; write cursor and limit, which are query parameters, and key.',
    ],
  },
  {
    name: 'a date that is none',
    document: get(`deprecated: true\nx-sunset: "2030-02-31"\n${done}`),
    refusals: ['x-sunset: the date 2030-02-31 is not supported; write a date such as "2030-12-31".'],
  },
  {
    name: 'a successor that is none',
    document: get(`deprecated: true\nx-successor: other\n${done}`),
    refusals: ['x-successor: the successor other is not supported; write the operationId of another operation.'],
  },
  {
    name: 'two operations with one command',
    document: `paths:\n  /a:\n    get: { operationId: op, ${done} }\n  /b:\n    get: { operationId: other, x-command: a op, ${done} }`,
    refusals: ["get: the command 'a op' beside that of op is not supported; choose another in x-command."],
  },
  {
    name: 'a command of petctl itself',
    document: get(done).replace('tags: [a]', 'tags: [auth]'),
    refusals: [
      "get: the command 'auth op' beside that of petctl itself is not supported; choose another in x-command.",
    ],
  },
  {
    name: 'paths that only names tell apart',
    document: `paths:\n  /a/{x}:\n    get: { operationId: op, parameters: [{ name: x, in: path, required: true, schema: { type: string } }], ${done} }\n  /a/{y}:\n    put: { operationId: other, parameters: [{ name: y, in: path, required: true, schema: { type: string } }], ${done} }`,
    refusals: [
      '/a/{y: The path already exists which differs only by path parameter name(s): `/a/{x}` and `/a/{y}`; use the same names.',
    ],
  },
  {
    name: 'several constructs at once',
    document: query('{ type: string, format: byte }').replace('in: query', 'in: cookie'),
    refusals: [
      'in: the cookie q is not supported; use a header or a query parameter.',
      'format: format byte is not supported; use int32, int64, float, double, date, date-time, time, duration, uuid, email, hostname, ipv4, ipv6, uri, uri-reference, or a pattern.',
    ],
  },
  {
    name: 'one name in two places',
    document: `paths:\n  /a/{id}:\n    get: { operationId: op, parameters: [{ name: id, in: path, required: true, schema: { type: string } }, { name: ID, in: query, schema: { type: string } }], ${done} }`,
    refusals: ['parameters: two parameters called id is not supported; rename one of them.'],
  },
  {
    name: 'an optional path parameter',
    document: `paths:\n  /a/{id}:\n    get: { operationId: op, parameters: [{ name: id, in: path, schema: { type: string } }], ${done} }`,
    refusals: ['name: an optional path parameter is not supported; write required: true.'],
  },
  {
    name: 'a schema without a type',
    document: returns('{ minLength: 1 }'),
    refusals: ['schema: a schema with no type is not supported; write one of type, oneOf, anyOf, allOf.'],
  },
  {
    name: 'alternatives beside each other',
    document: returns('{ oneOf: [{ type: string }], anyOf: [{ type: string }] }'),
    refusals: ['anyOf: a schema with oneOf and anyOf is not supported; write one of type, oneOf, anyOf, allOf.'],
  },
  {
    name: 'an enum of another type',
    document: returns('{ type: string, enum: [1, 2] }'),
    refusals: ['enum: an enum whose values are not of its type is not supported; write type, and values of that type.'],
  },
  {
    name: 'an allOf of numbers',
    document: returns('{ allOf: [{ type: integer, format: int64 }, { type: integer, minimum: 1 }] }'),
    refusals: ['allOf: allOf of something else than objects is not supported; write one schema.'],
  },
  {
    name: 'a required property that is none',
    document: returns('{ type: object, required: [z] }'),
    refusals: ['required: the required property z is not supported; declare it in properties.'],
  },
  {
    name: 'a schema that is its own alternative',
    document:
      returns("{ $ref: '#/components/schemas/J' }") +
      schemas("J: { anyOf: [{ type: string }, { $ref: '#/components/schemas/J' }] }"),
    refusals: ['J: J, which is a part of itself is not supported; put a property or an array between.'],
  },
  {
    name: 'a schema with the name of a type of an operation',
    document: returns("{ $ref: '#/components/schemas/OpData' }") + schemas('OpData: { type: string }'),
    refusals: ['operationId: the operationId op beside the schema OpData is not supported; rename one.'],
  },
  {
    name: 'a reference into a component',
    document:
      returns("{ $ref: '#/components/schemas/A/properties/b' }") +
      schemas('A: { type: object, properties: { b: { type: string } } }'),
    refusals: [
      '$ref: the reference #/components/schemas/A/properties/b is not supported; refer to a component of this document.',
    ],
  },
  {
    name: 'a body of 204',
    document: get(
      'responses: { "204": { description: Done., content: { application/json: { schema: { type: string } } } } }',
    ),
    refusals: ['"204": a body of 204 is not supported; remove its content.'],
  },
  {
    name: 'a second media type',
    document: returns('{ type: string }').replace(
      'content: { application/json',
      'content: { application/json: { schema: { type: string } }, application/hal+json',
    ),
    refusals: ['application/hal+json: a second media type is not supported; keep application/json.'],
  },
  {
    name: 'a command of one word',
    document: get(`x-command: drop\n${done}`),
    refusals: ["x-command: the command 'drop' is not supported; write two words, such as pets list."],
  },
  {
    name: 'paging by a parameter that is none',
    document: get(`x-pagination: { cursor: after, key: id, limit: limit }\n${done}`),
    refusals: [
      'x-pagination: this x-pagination is not supported; write cursor and limit, which are query parameters, and key.',
    ],
  },
  {
    name: 'a sunset of an operation that is not deprecated',
    document: get(`x-sunset: "2030-12-31"\n${done}`),
    refusals: ['x-sunset: x-sunset without deprecated is not supported; add deprecated: true.'],
  },
  {
    name: 'YAML that cannot be parsed',
    document: 'openapi: [',
    refusals: [
      'openapi: unexpected end of the stream within a flow collection in "/spec.yaml" (1:11); correct the document.',
    ],
  },
];
