import {
  type Example,
  exampleOfProperty,
  exampleOfSchema,
  property,
  required,
  silent,
  text,
  writeOnly,
} from './oasdiff-schemas.ts';

/** What a check of oasdiff is about, or why it does not apply; nothing for one that is not known. */
export function exampleOf(id: string): Example | string | undefined {
  if (others[id] !== undefined) return others[id];
  if (/-(deprecated-sunset-(missing|invalid)|sunset-(parse|deleted|date-too-small|date-changed-too-small))$/.test(id))
    return elsewhere.sunset;
  return exampleOfProperty(id) ?? exampleOfSchema(id);
}

const elsewhere = {
  spec: 'The spec check finds a sunset or a stability level that is missing, malformed or past.',
  names: 'The names of functions and commands are compared, of which an operationId and a tag are made.',
  versions: 'The versions check and the changesets hold the version.',
  sunset: 'Only operations have a sunset here.',
  used: 'A component counts where it is used.',
  text: 'It is documentation.',
};

const sunset = { deprecated: true, 'x-sunset': '2030-01-01' };
const past = { deprecated: true, 'x-sunset': '2026-01-01' };
const query = (more: object) => ({ parameters: [{ name: 'p', in: 'query', schema: text, ...more }] });
const json = (schema?: object) => ({ content: { 'application/json': { ...(schema && { schema }) } } });
const put = (more: object) => ({ put: { responses: {}, ...more } });
const basic = { security: [{ s: [] }] };
const scopes = (...names: string[]) => ({ security: [{ s: names }] });
const described = { description: '' };
const types = (...names: string[]) => ({ content: Object.fromEntries(names.map((name) => [name, {}])) });
const hook = { webhooks: { a: { post: { responses: {} } } } };

/** Changes of everything else. A sentence says where a check does not apply. */
const others: Record<string, Example | string> = {
  'endpoint-added': ['path-item', {}, { get: {} }, 'operation added'],
  'endpoint-deprecated': ['operation', {}, { deprecated: true }, 'operation deprecated'],
  'endpoint-deprecated-with-sunset': ['operation', {}, sunset, 'operation deprecated'],
  'endpoint-reactivated': ['operation', { deprecated: true }, {}, 'operation no longer deprecated'],
  'api-path-removed-without-deprecation': ['document', {}, { paths: {} }, 'operation removed'],
  'api-path-removed-with-deprecation': [
    'path-item',
    put(past),
    { put: undefined },
    'operation removed after its sunset',
  ],
  'api-path-removed-before-sunset': ['path-item', put(sunset), { put: undefined }, 'operation removed'],
  'api-removed-without-deprecation': ['path-item', { get: {} }, {}, 'operation removed'],
  'api-removed-with-deprecation': ['path-item', { get: past }, {}, 'operation removed after its sunset'],
  'api-removed-before-sunset': ['path-item', { get: sunset }, {}, 'operation removed'],
  'sunset-deleted': ['operation', sunset, { deprecated: true }, 'sunset removed'],
  'api-sunset-date-changed-too-small': [
    'operation',
    sunset,
    { ...sunset, 'x-sunset': '2029-01-01' },
    'sunset brought forward',
  ],
  'api-stability-decreased': ['operation', {}, { 'x-stability-level': 'beta' }, 'stability lowered'],
  'api-stability-increased': ['operation', { 'x-stability-level': 'beta' }, {}, 'stability raised'],
  ...Object.fromEntries(
    [
      'deprecated-sunset-parse',
      'deprecated-sunset-missing',
      'path-sunset-parse',
      'invalid-stability-level',
      'sunset-date-too-small',
    ].map((name) => [`api-${name}`, elsewhere.spec]),
  ),
  ...Object.fromEntries(
    ['operation-id-added', 'operation-id-removed', 'tag-added', 'tag-removed'].map((name) => [
      `api-${name}`,
      elsewhere.names,
    ]),
  ),
  ...Object.fromEntries(
    ['version-not-bumped', 'version-decreased', 'major-version-not-bumped'].map((name) => [
      `api-${name}`,
      elsewhere.versions,
    ]),
  ),
  'api-schema-removed': elsewhere.used,
  'api-security-component-added': elsewhere.used,
  'api-security-component-removed': elsewhere.used,
  'api-security-component-oauth-scope-changed': elsewhere.text,
  'api-security-component-oauth-scope-added': ['oauth-flow', { scopes: {} }, { scopes: { a: '' } }, 'scope added'],
  'api-security-component-oauth-scope-removed': ['oauth-flow', { scopes: { a: '' } }, { scopes: {} }, 'scope removed'],
  'api-security-component-oauth-url-changed': [
    'oauth-flow',
    { authorizationUrl: '/a' },
    { authorizationUrl: '/b' },
    'security scheme changed',
  ],
  'api-security-component-oauth-token-url-changed': [
    'oauth-flow',
    { tokenUrl: '/a' },
    { tokenUrl: '/b' },
    'security scheme changed',
  ],
  'api-security-component-type-changed': ['security-scheme', {}, { type: 'apiKey' }, 'security scheme changed'],
  ...Object.fromEntries(
    (['operation', 'document'] as const).flatMap((part) => {
      const begin = part === 'operation' ? 'api-security' : 'api-global-security';
      return [
        [`${begin}-added`, [part, {}, basic, 'security added']],
        [`${begin}-removed`, [part, basic, {}, 'security relaxed']],
        [`${begin}-scope-added`, [part, scopes('a'), scopes('a', 'b'), 'security scheme removed']],
        [`${begin}-scope-removed`, [part, scopes('a', 'b'), scopes('a'), 'security relaxed']],
      ];
    }),
  ),

  'new-required-request-parameter': ['operation', {}, query({ required: true }), 'parameter newly required'],
  'new-optional-request-parameter': ['operation', {}, query({}), 'parameter added'],
  'new-required-request-default-parameter-to-existing-path': [
    'path-item',
    {},
    query({ required: true }),
    'parameter newly required',
  ],
  'new-optional-request-default-parameter-to-existing-path': ['path-item', {}, query({}), 'parameter added'],
  'new-request-path-parameter': ['operation', {}, query({ in: 'path', required: true }), 'parameter newly required'],
  'request-parameter-became-required': ['parameter', {}, { required: true }, 'parameter newly required'],
  'request-parameter-became-optional': ['parameter', { required: true }, {}, 'parameter no longer required'],
  'request-parameter-deprecated': ['parameter', {}, { deprecated: true }, 'parameter deprecated'],
  'request-parameter-reactivated': ['parameter', { deprecated: true }, {}, 'parameter no longer deprecated'],
  ...Object.fromEntries(
    ['', '-before-sunset', '-with-deprecation'].map((how): [string, Example] => [
      `request-parameter-removed${how}`,
      ['operation', query(how === '' ? {} : past), {}, 'parameter removed'],
    ]),
  ),

  'request-body-added-required': ['operation', {}, { requestBody: { required: true } }, 'body newly required'],
  'request-body-added-optional': ['operation', {}, { requestBody: {} }, 'body added'],
  'request-body-removed': ['operation', { requestBody: {} }, {}, 'body removed'],
  'request-body-became-required': ['request-body', {}, { required: true }, 'body newly required'],
  'request-body-became-optional': ['request-body', { required: true }, {}, 'body no longer required'],
  'request-body-media-type-added': ['request-body', types('a/a'), types('a/a', 'a/b'), 'request media type added'],
  'request-body-media-type-removed': ['request-body', types('a/a', 'a/b'), types('a/a'), 'request media type removed'],
  'request-body-media-type-schema-added': ['request-body', json(), json(text), 'request type changed'],
  'request-body-media-type-schema-removed': ['request-body', json(text), json(), 'request type changed'],

  'new-required-request-property': ['request schema', {}, property(text, required), 'request property newly required'],
  'new-required-request-property-with-default': [
    'request schema',
    {},
    property({ default: 'a' }, required),
    'request property newly required',
  ],
  'new-required-request-header-property': [
    'parameter',
    { in: 'header', schema: {} },
    { in: 'header', schema: property(text, required) },
    'request property newly required',
  ],
  'request-header-property-became-required': [
    'parameter',
    { in: 'header', schema: property(text) },
    { in: 'header', schema: property(text, required) },
    'request property newly required',
  ],
  'new-optional-request-property': ['request schema', {}, property(text), 'request property added'],
  'request-property-removed': ['request schema', property(text), {}, 'request property removed'],
  'request-property-became-required': [
    'request schema',
    property(text),
    property(text, required),
    'request property newly required',
  ],
  'request-property-became-required-with-default': [
    'request schema',
    property({ default: 'a' }),
    property({ default: 'a' }, required),
    'request property newly required',
  ],
  'request-property-became-optional': [
    'request schema',
    property(text, required),
    property(text),
    'request property no longer required',
  ],

  'response-success-status-added': ['responses', {}, { 200: described }, 'success status added'],
  'response-success-status-removed': ['responses', { 200: described }, {}, 'status removed'],
  'response-non-success-status-added': ['responses', {}, { 404: described }, 'status added'],
  'response-non-success-status-removed': ['responses', { 404: described }, {}, 'status removed'],
  'response-media-type-added': ['response', types('a/a'), types('a/a', 'a/b'), 'response media type added'],
  'response-media-type-removed': ['response', types('a/a', 'a/b'), types('a/a'), 'response media type removed'],
  'response-media-type-name-changed': ['response', types('a/a'), types('a/b'), 'response media type removed'],
  'response-media-type-name-generalized': ['response', types('a/a'), types('a/*'), 'response media type removed'],
  'response-media-type-name-specialized': ['response', types('a/*'), types('a/a'), silent],
  'response-body-media-type-schema-added': ['response', json(), json(text), 'response type changed'],
  'response-body-media-type-schema-removed': ['response', json(text), json(), 'response type changed'],
  'response-header-added': ['response', {}, { headers: { A: {} } }, 'header added'],
  'response-header-became-optional': ['header', { required: true }, {}, 'header may be missing'],
  'required-response-header-removed': ['response', { headers: { A: { required: true } } }, {}, 'header removed'],
  'optional-response-header-removed': ['response', { headers: { A: {} } }, {}, 'header removed'],
  'response-property-became-optional': [
    'response schema',
    property(text, required),
    property(text),
    'response property may be missing',
  ],
  'response-property-became-required': [
    'response schema',
    property(text),
    property(text, required),
    'response property always present',
  ],
  'response-write-only-property-became-required': [
    'response schema',
    property(writeOnly),
    property(writeOnly, required),
    silent,
  ],
  'response-write-only-property-became-optional': [
    'response schema',
    property(writeOnly, required),
    property(writeOnly),
    silent,
  ],
  'webhook-added': ['document', {}, hook, 'webhook added'],
  'webhook-removed': ['document', hook, {}, 'webhook removed'],
};

/** Where a change is a break here and none for oasdiff, and why. */
export const stricter: readonly (readonly [ids: RegExp, reason: string])[] = [
  [/security-(scope-)?added$/, 'credentials that were enough are no longer'],
  [/security-component-oauth-|component-type-changed/, 'credentials are got or sent another way'],
  [/default-value/, 'a value that is left out means something else'],
  [/discriminator/, 'values are distinguished in another way'],
  [/^request-.*-read-only$/, 'the server rejects what is no longer a property, or asks for what is one now'],
  [/^request-parameter-removed/, 'the server rejects unknown parameters'],
  [/^request-.*-stability|^response-.*-stability/, 'nothing reads the stability of a property'],
  [/^response-.*-(all-of-removed|any-of-added|pattern-.*)$/, 'values are possible that were none'],
  [/^response-.*-became-write-only$/, 'clients that read the property read nothing'],
  [/^response-media-type-name-changed$/, 'clients ask for the media type that was there'],
  [/^response-non-success-status-removed$/, 'clients that wait for it wait in vain'],
  [/^response-success-status-added$/, 'clients know the statuses of a success'],
];

/** Where a change is no break here, and a warning of oasdiff, and why. */
export const milder: readonly (readonly [ids: RegExp, reason: string])[] = [
  [/^request-.*-all-of-removed$/, 'what was valid still is'],
  [/^response-required-property-became-not-write-only$/, 'responses have one property more'],
];
