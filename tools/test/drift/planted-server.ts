import { createPet, plantedInHandlers, plantedInStored } from './planted-handlers.ts';
import { described, edits, getPet, type PlantedDrift, put, source, swap } from './planting.ts';

const { handlers, response, dispatch } = source;

const authentication = 'apps/server/src/http/authentication.ts';
const expressApp = 'apps/server/src/http/express-app.ts';
const routes = 'apps/server/src/http/routes.ts';
const fastPath = 'apps/server/src/http/fast-path.ts';
const nextLink = 'apps/server/src/http/next-link.ts';

export const plantedInServer: PlantedDrift[] = [
  // The handlers and routes of the server.
  ...edits('routes', handlers, {
    'a handler dropped': put('return {', `    ${createPet},\n`, ''),
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
    'a route of another path': put('export function expressPathOf', '+ path)', "+ path.replace('pets', 'animals'))"),
  }),
  ...described('routes', {
    'an operation without a handler': put(
      getPet,
      getPet,
      `  /extra:\n    get:\n      operationId: listExtra\n      tags: [pets]\n      summary: Extra\n      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}, "401": {$ref: "#/components/responses/Unauthorized"}, default: {$ref: "#/components/responses/UnexpectedError"}}\n${getPet}`,
    ),
    'an operation removed, its handler left': (text) =>
      text
        .replace(/ {2}\/pets\/\{petId\}:\n[\s\S]*?(?=\n {2}\/|\ncomponents:)/, '')
        .replace('x-successor: listPets', ''),
    'an operation renamed': put(getPet, 'operationId: getPet', 'operationId: readPet'),
  }),

  // The running server.
  ...plantedInHandlers,
  ...plantedInStored,
  ...edits('conformance', response, {
    'no Deprecation header where one is required': put(
      'function deprecation(',
      '(deprecatedSince ?',
      '(!deprecatedSince ?',
    ),
    'a header that is not declared': put('function deprecation(', 'return [', "return [\n    'X-Extra', 'yes',"),
    'a sunset in 1970': put('function deprecation(', 'new Date(sunset)', 'new Date(0)'),
    'another day of the deprecation': put(
      'function deprecation(',
      'Date.parse(deprecatedSince) / 1000',
      'Date.parse(deprecatedSince)',
    ),
    'a deprecation of today': put('function deprecation(', 'Date.parse(deprecatedSince)', 'Date.now()'),
    'another successor': put('function deprecation(', '.path}>', '.path}s>'),
    'no content type': put('const JSON_TYPE', "'application/json; charset=utf-8'", "'text/plain'"),
    'no identifier of the request': put('export function responseHeaders', "'X-Request-Id', requestId, ", ''),
  }),
  ...edits('conformance', nextLink, {
    'no way to the next page': put('export function nextLink', 'rel="next"', 'rel="nest"'),
    'a next page without the filter': put(
      'export function nextLink',
      "fields[name]?.in !== 'query'",
      "fields[name]?.in !== 'query' || name === 'status'",
    ),
    'a next page of another size': put(
      'export function nextLink',
      'query[cursor] = String(last)',
      "query[cursor] = String(last);\n  query.limit = '1'",
    ),
    'a next page that skips one': put('export function nextLink', 'String(last)', 'String(Number(last) + 1)'),
    'a next page that is the same': put(
      'export function nextLink',
      'query[cursor] = String(last)',
      "query[cursor] ??= '0'",
    ),
    'no next page where there is a filter': put('export function nextLink', '!more)', "!more || 'status' in input)"),
    'no next page behind a cursor': put('export function nextLink', '!more)', "!more || 'after' in input)"),
    'a next page too many': put('export function nextLink', '!more)', 'last === undefined)'),
  }),
  ...edits('conformance', 'apps/server/src/http/conditional-requests.ts', {
    '304 for any tag': put(
      'function isKnown',
      "return ifNoneMatch.split(',').some",
      "return true || ifNoneMatch.split(',').some",
    ),
    'no 304 for the tag that was sent': put('function isKnown', "['*', opaque]", "['*']"),
    'a tag of the time': put('function entityTag', /: `"\$\{version\}"`/, ': String(Math.random())'),
  }),
  ...edits('conformance', dispatch, {
    'another status for a success': put('operation.success', 'operation.success', '202'),
    'an idempotency key that is ignored': put(
      'const key = idempotencyKeyOf',
      'idempotencyKeyOf(request.headers, operation, context.keyName)',
      'operation.path === "" ? idempotencyKeyOf(request.headers, operation, context.keyName) : undefined',
    ),
    'no 304': put('if (isRead && isKnown', 'isRead', 'tag === ""'),
    'a replay that is not said': put('if (isReplayed', "headers.push('Idempotency-Replayed', 'true')", ';'),
    'a page that never leads on': put(
      'if (page) headers',
      'headers.push(...nextLink(context, operation, input, page))',
      ';',
    ),
  }),
  ...edits('conformance', 'apps/server/src/http/http-error.ts', {
    'an Error of another shape': put(
      '  body()',
      'message: this.message, status',
      'message: this.message, at: 1, status',
    ),
    'an Error with another status': put('  body()', 'status: this.status', 'status: 400'),
    'an invalid request that is an internal error': put(
      'export function invalidRequest',
      ": 'invalid_request'",
      ": 'internal_error'",
    ),
    'an identifier that cannot be is invalid': put(
      'export function invalidRequest',
      "? 'not_found' :",
      "? 'invalid_request' :",
    ),
    'an unavailable store is a document not found': put(
      'if (error instanceof StoreUnavailableError)',
      /return unavailable\(.*\);/,
      "return new HttpError('not_found', 'No.');",
    ),
    'no hint when to come back': put(
      'export function unavailable',
      "{ headers: { 'Retry-After': '1' }, cause }",
      '{ cause }',
    ),
    'no Retry-After': put(
      'error instanceof StoreUnavailableError',
      "unavailable('The store cannot do this now. Retry later.', error)",
      "new HttpError('unavailable', 'Later.', { cause: error })",
    ),
  }),
  ...edits('conformance', authentication, {
    'another status without a key': put('export function unauthorized', "'unauthorized'", "'not_found'"),
    'no key required': put('export function authenticate', 'name === undefined', 'name === "x"'),
    'a missing key is accepted': put(
      'export function callerOf',
      'const isPublic =',
      "if (request.headers.authorization === undefined) return 'nobody';\n  const isPublic =",
    ),
    'any key is accepted': put(
      'export function callerOf',
      "nameOf(credentialOf(schemes[scheme], request, target.query) ?? '')",
      "credentialOf(schemes[scheme], request, target.query) && 'somebody'",
    ),
    'a key in any scheme': put('function tokenOf', '/^Bearer +', '/^\\w+ +'),
    'a scheme with a case': put('function tokenOf', '/i.exec', '/.exec'),
    'another challenge': put('function challengeOf', ": 'Bearer'", ": 'Basic'"),
    'no challenge': put('export function unauthorized', "'WWW-Authenticate': [...challenges].join(', ')", ''),
    'a missing key that is accepted where there is no query': put(
      'export function callerOf',
      'const isPublic =',
      "if (!request.headers.authorization && request.url === '/v1/pets') return 'nobody';\n  const isPublic =",
    ),
    'a key of another case': swap('return isPlain ? token :', 'return isPlain ? token.toLowerCase() :'),
    'a key with more behind it': swap('return isPlain ? token :', 'return isPlain ? token.slice(0, 27) :'),
    'another status without a key where nothing is': put(
      'export function authenticate',
      'name === undefined',
      'name === undefined && context.operation',
    ),
  }),
  ...edits('conformance', expressApp, {
    'no validation': put('app.use(validator', /app\.use\(validator.*\n/, '\n'),
    'every path below the base is served': put(
      'const methods',
      /if \(!route\) throw new HttpError.*;/,
      'if (!route) return void response.json([]);',
    ),
    'one path more, without a route': put(
      '  app.use(root, methods',
      '  app.use(root, methods',
      "  app.use(root, (request, response, next) => (request.path === '/store/orders' ? void response.json([]) : next()));\n  app.use(root, methods",
    ),
    'other methods are not found': put(
      'const methods',
      "new HttpError('method_not_allowed', message, {",
      "new HttpError('not_found', message, {",
    ),
    'no Allow': put('const methods', '{ headers: { Allow: route.allow } }', '{}'),
    'parameters that are not read': put(
      'const parameters',
      'if (operation) context.parameters =',
      'if (!operation) context.parameters =',
    ),
    'a filter that is ignored': parameters('delete query.status'),
    'a cursor that is ignored': parameters('delete query.after'),
    'a hidden limit': parameters("if (Number(query.limit) > 60) throw new HttpError('invalid_request', 'Too many.')"),
    'HEAD that is rejected': put(
      'const methods',
      'if (!route)',
      "if (request.method === 'HEAD') throw new HttpError('not_found', 'No.');\n  if (!route)",
    ),
    'OPTIONS without Allow': swap(".status(204).set('Allow', route.allow).end()", '.status(204).end()'),
    'a path below another, without a route': added('/^\\/pets\\/\\d+\\/photo$/.test(request.path)'),
    'a path beside the others, without a route': added("request.path === '/animals'"),
  }),
  ...edits('conformance', fastPath, {
    'a fast path that accepts everything': put('const checked', 'passes(checked) ?', 'true ?'),
    'a fast path that needs no key': put('const caller', 'if (caller === undefined) return false;', ''),
    'a fast path without the query': put('const checked', '{ query,', '{ query: {},'),
    'a filter that is ignored': accepted('delete input.status'),
    'a cursor that is ignored beside a limit': accepted('if (input.limit) delete input.after'),
    'a hidden limit': accepted('if (Number(input.limit) > 50) input.limit = 50'),
    'a property dropped beside a long text': accepted('if (String(input.name).length > 100) delete input.status'),
    'text that is truncated': accepted('if (input.name) input.name = String(input.name).slice(0, 2000)'),
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
  ...edits('conformance', 'apps/server/src/http/cached-responses.ts', {
    'a response that stays after a write': swap(
      'state.version !== state.collection.version()',
      "state.version === 'x'",
    ),
    'a request identifier that stays': swap("bytes.write(requestId, idAt, 'latin1');", ''),
  }),
  ...edits('conformance', routes, {
    'a method that is not named': swap("['HEAD', 'OPTIONS']", "['OPTIONS']"),
  }),
  ...edits('conformance', 'apps/server/src/http/body.ts', {
    'a missing body with the status of a reused idempotency key': swap(
      "'invalid_request', 'body: it is missing'",
      "'idempotency_key_reused', 'body: it is missing'",
    ),
  }),
];

/** The fast path does something with the input that it accepts. */
function accepted(code: string) {
  const usual = 'return passes(checked) ? inputOf(operation, checked, body) : undefined;';
  const changed = `if (!passes(checked)) return undefined;\n  const input = inputOf(operation, checked, body) as Record<string, unknown>;\n  ${code};\n  return input as Input;`;
  return swap(usual, changed);
}

/** The Express app does something with the parameters that it reads. */
function parameters(code: string) {
  const read = 'if (operation) context.parameters = parseParameters(operation, context.target, request.headers);';
  return swap(read, `${read}\n  const query: Record<string, unknown> = context.parameters?.query ?? {};\n  ${code};`);
}

/** The Express app serves one path more. */
function added(isServed: string) {
  const next = '  app.use(root, methods';
  return swap(
    next,
    `  app.use(root, (request, response, next) => (${isServed} ? void response.json([]) : next()));\n${next}`,
  );
}
