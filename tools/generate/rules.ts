// The supported part of OpenAPI: one table of keywords, and rules for their values. What is not here is refused.
import type { UserContext } from '@redocly/openapi-core';
import { type Node, node } from './table.ts';

/** The keywords that are generated for, by the type of object. */
export const keywords: Readonly<Record<string, string>> = {
  Root: 'openapi info servers security tags paths components',
  Info: 'title version summary description termsOfService contact license',
  Contact: 'name url email',
  License: 'name identifier url',
  Server: 'url description variables x-deployment',
  ServerVariable: 'default description enum',
  Tag: 'name description',
  Components: 'schemas parameters headers requestBodies responses examples securitySchemes',
  SecurityScheme: 'type scheme bearerFormat description',
  PathItem: 'summary description parameters get put post delete patch',
  Operation:
    'operationId tags summary description deprecated parameters requestBody responses x-command x-pagination ' +
    'x-deprecated-since x-sunset x-successor x-stability-level',
  Parameter: 'name in description required deprecated style explode schema example examples x-idempotency-key',
  RequestBody: 'description required content',
  Response: 'description headers content',
  MediaType: 'schema example examples',
  Header: 'description required deprecated schema example examples',
  Example: 'summary description value',
  Schema:
    'title description type format enum const default example examples deprecated minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum multipleOf minLength maxLength pattern items minItems maxItems uniqueItems properties required ' +
    'additionalProperties oneOf anyOf allOf x-statuses',
};

/** What to write instead of keywords that people often use. */
export const instead: Readonly<Record<string, string>> = {
  nullable: "write type: [string, 'null']",
  readOnly: 'declare two schemas, as NewPet and Pet',
  writeOnly: 'declare two schemas, as NewPet and Pet',
  discriminator: 'give each alternative of oneOf a property with const',
  webhooks: 'describe them in another document',
  callbacks: 'describe them in another document',
  security: 'remove it: the security of the document applies to each operation',
  servers: 'remove it: the servers of the document apply to each operation',
  links: 'name the operation in the description',
  encoding: 'send JSON',
  content: 'write schema: a parameter or header is text',
  head: 'remove it: the server answers HEAD wherever there is GET',
  options: 'remove it: the server answers OPTIONS itself',
  trace: 'remove it: fetch cannot send TRACE',
  $defs: 'move it to components.schemas',
  patternProperties: 'write additionalProperties',
  not: 'write what is allowed',
};

/** Refuses a construct: says what it is, and what to write instead. `key` names the member that is meant. */
export type Refuse = (problem: string, fix: string, key?: string | number) => void;

type Rule = (value: Node, refuse: Refuse, context: UserContext) => void;

const formats = 'int32 int64 float double date date-time time duration uuid email hostname ipv4 ipv6 uri uri-reference';
const scalars = ['string', 'number', 'integer', 'boolean'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Rules for the values of keywords, by the type of object. */
export const rules: Readonly<Record<string, Rule>> = {
  Root: (root, refuse) => {
    if (!/^3\.1\.\d+$/.test(String(root.openapi))) refuse(`OpenAPI ${root.openapi}`, 'write openapi: 3.1.0', 'openapi');
    if (!Array.isArray(root.security) || root.security.length !== 1 || Object.keys(node(root.security[0])).length !== 1)
      refuse('a security other than one bearer key', 'write security: [{ bearer: [] }]', 'security');
  },
  SecurityScheme: ({ type, scheme }, refuse) => {
    if (type !== 'http' || String(scheme).toLowerCase() !== 'bearer')
      refuse(`the security scheme ${type}${scheme ? ` ${scheme}` : ''}`, 'write type: http, scheme: bearer', 'type');
  },
  Server: ({ url, variables }, refuse) => {
    const missing = [...String(url).matchAll(/\{([^}]+)\}/g)].find(([, name = '']) => !(name in node(variables)));
    if (missing) refuse(`the undeclared variable ${missing[1]}`, 'declare it in variables, with a default', 'url');
    else if (!String(url).includes('{') && !URL.canParse(String(url), 'http://localhost'))
      refuse(`the URL ${url}`, 'write a URL', 'url');
  },
  Paths: (paths, refuse) => {
    for (const path of Object.keys(paths))
      if (!path.startsWith('/')) refuse(`the path ${path}`, 'begin it with /', path);
  },
  Operation: (operation, refuse, { location }) => {
    const { operationId, responses, requestBody } = operation;
    if (!/^[a-z][A-Za-z0-9]*$/.test(String(operationId ?? '')))
      refuse(`the operationId '${operationId ?? ''}'`, 'write a name such as listPets', 'operationId');
    const method = location.pointer.split('/').at(-1) ?? '';
    if (/^(?:get|delete)$/.test(method) && requestBody)
      refuse(`a body of ${method.toUpperCase()}`, 'use POST or PUT', 'requestBody');
    if (!Object.keys(node(responses)).some((status) => /^2\d\d$/.test(status)))
      refuse('an operation without a success', 'declare a response such as "200"', 'responses');
    for (const key of ['x-deprecated-since', 'x-sunset', 'x-successor']) {
      if (operation[key] === undefined) continue;
      if (operation.deprecated !== true) refuse(`${key} without deprecated`, 'add deprecated: true', key);
      else if (key !== 'x-successor' && !isDate(operation[key]))
        refuse(`the date ${operation[key]}`, 'write a date such as "2030-12-31"', key);
    }
    const { 'x-stability-level': stability = 'beta', 'x-command': command = 'pets list' } = operation;
    if (stability !== 'experimental' && stability !== 'beta')
      refuse(`the stability level ${stability}`, 'write experimental or beta', 'x-stability-level');
    if (!/^[a-z][a-z0-9-]* [a-z][a-z0-9-]*$/.test(String(command)))
      refuse(`the command '${command}'`, 'write two words, such as pets list', 'x-command');
  },
  Responses: (responses, refuse, context) => {
    for (const [status, response] of Object.entries(responses)) {
      if (!/^(?:[2-5]\d\d|default)$/.test(status))
        refuse(`the status ${status}`, 'write one status, or default', status);
      if (/^(?:204|205|304)$/.test(status) && resolved(response, context).content !== undefined)
        refuse(`a body of ${status}`, 'remove its content', status);
    }
  },
  MediaTypesMap: (content, refuse) => {
    const [type, other] = Object.keys(content);
    if (type !== 'application/json') refuse(`the media type ${type}`, 'use application/json', type);
    if (other !== undefined) refuse('a second media type', 'keep application/json', other);
  },
  MediaType: ({ schema }, refuse) => {
    if (schema === undefined) refuse('JSON without a schema', 'declare its schema');
  },
  Parameter: (parameter, refuse, context) => {
    const { name, in: place, style, explode, required } = parameter;
    const schema = resolved(parameter.schema, context);
    if (place === 'cookie') refuse(`the cookie ${name}`, 'use a header or a query parameter', 'in');
    if (
      place === 'header' &&
      !/^(?!(?:accept|content-type|authorization|cookie|host)$)[\w!#$%&'*+.^`|~-]+$/i.test(String(name))
    )
      refuse(`the header parameter '${name}'`, 'remove it, or correct its name', 'name');
    if (place === 'path' && !/^\w+$/.test(String(name)))
      refuse(`the path parameter '${name}'`, 'use letters and digits', 'name');
    if (place === 'path' && required !== true) refuse('an optional path parameter', 'write required: true', 'name');
    if (name === 'body' || name === '__proto__') refuse(`a parameter called ${name}`, 'rename it', 'name');
    const isKey = parameter['x-idempotency-key'];
    if (isKey !== undefined && (isKey !== true || place !== 'header'))
      refuse(`x-idempotency-key: ${isKey}, in ${place}`, 'write true, in a header', 'x-idempotency-key');
    const ordinary = place === 'query' ? ['form', true] : ['simple', false];
    if (style !== undefined && style !== ordinary[0])
      refuse(`style ${style}`, `leave it out: it is ${ordinary[0]}`, 'style');
    if (explode !== undefined && explode !== ordinary[1])
      refuse(`explode: ${explode}`, 'leave it out, and repeat the parameter for each value', 'explode');
    const items = place === 'query' && schema.type === 'array' ? resolved(schema.items, context) : schema;
    if (!isScalar(items)) refuse(`a ${place} parameter that is no scalar`, scalarFix(place), 'schema');
  },
  Header: (header, refuse, context) => {
    if (!isScalar(resolved(header.schema, context)))
      refuse('a header that is no scalar', scalarFix('header'), 'schema');
  },
  Schema: (schema, refuse, context) => {
    const { type, const: only, enum: values, format, pattern, properties, required, items, allOf } = schema;
    const forms = ['type', 'oneOf', 'anyOf', 'allOf', 'const'].filter((key) => key in schema);
    if (forms.length !== 1 && forms.join() !== 'type,const')
      refuse(`a schema with ${forms.join(' and ') || 'no type'}`, `write one of type, oneOf, anyOf, allOf`, forms[1]);
    const types = [type].flat().map(String);
    if (types.filter((name) => name !== 'null').length !== 1)
      refuse(`type [${type}]`, "write oneOf for several types; [string, 'null'] allows null", 'type');
    if (Object(only) === only || (only !== undefined && (types.includes('null') || values !== undefined)))
      refuse('this const', 'write a scalar, without enum and null', 'const');
    if (values !== undefined && !list(values).every((value) => types.includes(typeOf(value)) || isNumber(value, types)))
      refuse('an enum whose values are not of its type', 'write type, and values of that type', 'enum');
    for (const key of ['properties', 'required', 'additionalProperties'])
      if (key in schema && !types.includes('object')) refuse(`${key} without type: object`, 'add the type', key);
    if ((items !== undefined) !== types.includes('array'))
      refuse('items without type: array, or an array without items', 'write both');
    const unknown = list(required).find((name) => !(String(name) in node(properties)));
    if (unknown !== undefined) refuse(`the required property ${unknown}`, 'declare it in properties', 'required');
    if (list(allOf).some((part) => !('allOf' in resolved(part, context)) && !isObject(resolved(part, context))))
      refuse('allOf of something else than objects', 'write one schema', 'allOf');
    if (format !== undefined && !formats.split(' ').includes(String(format)))
      refuse(`format ${format}`, `use ${formats.replaceAll(' ', ', ')}, or a pattern`, 'format');
    if (typeof pattern === 'string' && !isPattern(pattern))
      refuse(`the pattern ${pattern}`, 'write a regular expression that compiles with the flag u', 'pattern');
    // The parser of YAML has already rounded such a number.
    for (const key of ['default', 'const', 'enum', ...bounds])
      if (
        [schema[key]].flat().some((value) => typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
      )
        refuse(`a number beyond ±(2^53−1) in ${key}`, 'leave it out: int64 has its own bounds', key);
  },
  SchemaProperties: (properties, refuse) => {
    if (Object.hasOwn(properties, '__proto__')) refuse('a property called __proto__', 'rename it', '__proto__');
  },
  NamedSchemas: (schemas, refuse) => {
    for (const name of Object.keys(schemas))
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) refuse(`the schema name ${name}`, 'write a name such as NewPet', name);
  },
};

/** The object, or what it refers to. */
function resolved(value: unknown, context: UserContext): Node {
  const { $ref } = node(value);
  return node(typeof $ref === 'string' ? context.resolve({ $ref }).node : value);
}

const isObject = ({ type }: Node) => type === 'object';

function isScalar({ type, const: only }: Node): boolean {
  return scalars.includes(String(type)) || (type === undefined && only !== undefined && Object(only) !== only);
}

const scalarFix = (place: unknown) => `use ${scalars.join(', ')}${place === 'query' ? ', or an array of them' : ''}`;

const typeOf = (value: unknown) => (value === null ? 'null' : Object(value) === value ? 'object' : typeof value);

const isNumber = (value: unknown, types: readonly string[]) => Number.isInteger(value) && types.includes('integer');

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(value);
  // Date.parse takes 31 February for 3 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
