// The supported part of OpenAPI as tables. What is not in them is refused.

/** The properties that are generated for, by the type of object. Any other property is refused. */
export const supportedProperties: Readonly<Record<string, readonly string[]>> = {
  Root: words('openapi info servers security tags paths components x-common-headers'),
  Info: words('title version summary description termsOfService contact license'),
  Contact: words('name url email'),
  License: words('name identifier url'),
  Server: words('url description variables x-deployment'),
  ServerVariable: words('default description enum'),
  Tag: words('name description'),
  Components: words('schemas parameters headers requestBodies responses examples securitySchemes'),
  SecurityScheme: words('type scheme bearerFormat description'),
  PathItem: words('summary description parameters get put post delete patch'),
  Operation: words(`
    operationId tags summary description deprecated parameters requestBody responses
    x-command x-pagination x-deprecated-since x-sunset x-successor x-stability-level
  `),
  Parameter: words(`
    name in description required deprecated style explode schema example examples
    x-idempotency-key x-idempotency-hours
  `),
  RequestBody: words('description required content'),
  Response: words('description headers content'),
  MediaType: words('schema example examples'),
  Header: words('description required deprecated schema example examples x-required-with'),
  Example: words('summary description value'),
  Schema: words(`
    title description type format enum const default example examples deprecated
    minimum maximum minLength maxLength pattern
    items minItems maxItems properties required additionalProperties
    oneOf anyOf allOf x-statuses
  `),
};

/** What to write instead of properties that people often use. */
export const alternatives: Readonly<Record<string, string>> = {
  nullable: "write type: [string, 'null']",
  readOnly: 'declare two schemas, as NewPet and Pet',
  writeOnly: 'declare two schemas, as NewPet and Pet',
  webhooks: 'describe them in another document',
  callbacks: 'describe them in another document',
  discriminator: 'give each alternative of oneOf a property with const',
  security: 'remove it: the security of the document applies to each operation',
  servers: 'remove it: the servers of the document apply to each operation',
  encoding: 'send JSON',
  content: 'write schema: a parameter or header is text',
  head: 'remove it: the server answers HEAD wherever there is GET',
  options: 'remove it: the server answers OPTIONS itself',
  $defs: 'move it to components.schemas',
  patternProperties: 'write additionalProperties',
  not: 'write what is allowed',
};

/** The headers that fetch or HTTP set, beside `Content-…`. */
export const ownHeaders = words(
  'accept authorization connection cookie expect host te trailer transfer-encoding upgrade',
);

interface Allowed {
  readonly isAllowed: (text: string) => boolean;
  /** What to write instead. */
  readonly fix: string;
}

const date: Allowed = { isAllowed: isDate, fix: 'write a date such as "2030-12-31"' };
const bearer = 'write type: http, scheme: bearer';

/** What the text of a property has to be. */
export const allowedValues: Readonly<Record<string, Allowed>> = {
  'Root.openapi': { isAllowed: matches(/^3\.1\.\d+$/), fix: 'write openapi: 3.1.0' },
  'SecurityScheme.type': { isAllowed: isOneOf('http'), fix: bearer },
  'SecurityScheme.scheme': { isAllowed: matches(/^bearer$/i), fix: bearer },
  'Operation.operationId': { isAllowed: isOperationId, fix: 'write a name such as listPets' },
  'Operation.x-command': {
    isAllowed: isCommand,
    fix: 'write two words, such as pets list',
  },
  'Operation.x-deprecated-since': date,
  'Operation.x-sunset': date,
  'Operation.x-stability-level': {
    isAllowed: isOneOf('experimental', 'beta'),
    fix: 'write experimental or beta',
  },
  'Parameter.in': {
    isAllowed: isOneOf('path', 'query', 'header'),
    fix: 'use a header or a query parameter',
  },
  // `body` is the input for a whole body.
  'Parameter.name': { isAllowed: isNoneOf('body', '__proto__'), fix: 'rename it' },
  'Parameter.x-idempotency-key': { isAllowed: isOneOf('true'), fix: 'write true' },
  'Parameter.x-idempotency-hours': {
    isAllowed: matches(/^[1-9]\d*$/),
    fix: 'write a number of hours',
  },
  'Schema.format': {
    isAllowed: isOneOf('int32', 'int64', 'float', 'double'),
    fix: 'use int32 or int64 for an integer, and pattern for a string',
  },
};

/** What the keys of a map have to be. */
export const allowedKeys: Readonly<Record<string, Allowed>> = {
  Paths: {
    isAllowed: isPath,
    fix: 'write /segments of letters, digits, or one {parameter} each',
  },
  Responses: {
    isAllowed: matches(/^(?:[2-5]\d\d|default)$/),
    fix: 'write one status, or default',
  },
  MediaTypesMap: { isAllowed: isOneOf('application/json'), fix: 'use application/json' },
  SchemaProperties: { isAllowed: isNoneOf('__proto__'), fix: 'rename it' },
  NamedSchemas: { isAllowed: matches(/^[A-Z][A-Za-z0-9]*$/), fix: 'write a name such as NewPet' },
};

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function isOneOf(...allowed: string[]) {
  return (text: string) => allowed.includes(text);
}

function isNoneOf(...refused: string[]) {
  return (text: string) => !refused.includes(text);
}

function matches(pattern: RegExp) {
  return (text: string) => pattern.test(text);
}

/** `2030-12-31`, but not `2030-02-31`. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return false;
  // JavaScript reads `2030-02-31` as March 3.
  return date.toISOString().startsWith(text);
}

/** `listPets`. A client has other properties of the names that are refused. */
function isOperationId(text: string): boolean {
  const isTaken = ['then', 'withOptions', 'constructor', 'toString'].includes(text);
  return !isTaken && /^[a-z][A-Za-z0-9]*$/.test(text);
}

/** `pets list`. */
function isCommand(text: string): boolean {
  const words = text.split(' ');
  const areNames = words.every((word) => /^[a-z][a-z0-9-]*$/.test(word));
  return areNames && words.length === 2;
}

/** `/pets/{petId}`, but neither `/pets/` nor `/pets/{petId}.json`. */
function isPath(text: string): boolean {
  const [beforeSlash, ...segments] = text.split('/');
  return beforeSlash === '' && segments.length > 0 && segments.every(isSegment);
}

function isSegment(text: string): boolean {
  if (text === '.' || text === '..') return false;
  return /^[\w.~-]+$/.test(text) || /^\{\w+\}$/.test(text);
}
