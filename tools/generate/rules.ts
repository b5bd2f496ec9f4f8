// The supported part of OpenAPI, as tables: the members that each type of object may have, and their values. What is not here is refused.
import { kebab, list, type Node, node } from './table.ts';

/** The members that are generated for, by the type of object. Any other member is refused. */
export const members: Readonly<Record<string, string>> = {
  Root: 'openapi info servers security tags paths components x-common-headers',
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
  Parameter:
    'name in description required deprecated style explode schema example examples x-idempotency-key x-idempotency-hours',
  RequestBody: 'description required content',
  Response: 'description headers content',
  MediaType: 'schema example examples',
  Header: 'description required deprecated schema example examples x-required-with',
  Example: 'summary description value',
  Schema:
    'title description type format enum const default example examples deprecated minimum maximum minLength ' +
    'maxLength pattern items minItems maxItems properties required additionalProperties oneOf anyOf allOf x-statuses',
};

/** What to write instead of members that people often use. */
export const instead: Readonly<Record<string, string>> = {
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

const scalars = ['string', 'number', 'integer', 'boolean'];
const date = [
  /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))$/,
  'write a date such as "2030-12-31"',
] as const;

/** What the text of a member, or with `*` each key of a map, has to be, and what to write instead. */
export const values: Readonly<Record<string, readonly [allowed: RegExp, fix: string]>> = {
  'Root.openapi': [/^3\.1\.\d+$/, 'write openapi: 3.1.0'],
  'SecurityScheme.type': [/^http$/, 'write type: http, scheme: bearer'],
  'SecurityScheme.scheme': [/^bearer$/i, 'write type: http, scheme: bearer'],
  'Paths.*': [
    /^(?:\/(?!\.\.?(?:\/|$))(?:[\w.~-]+|\{\w+\}))+$/,
    'write /segments of letters, digits, or one {parameter} each',
  ],
  // A client has properties of these names.
  'Operation.operationId': [
    /^(?!(?:then|withOptions|constructor|toString)$)[a-z][A-Za-z0-9]*$/,
    'write a name such as listPets',
  ],
  'Operation.x-command': [
    /^[a-z][a-z0-9-]* [a-z][a-z0-9-]*$/,
    'write two words, such as pets list',
  ],
  'Operation.x-deprecated-since': date,
  'Operation.x-sunset': date,
  'Operation.x-stability-level': [/^(?:experimental|beta)$/, 'write experimental or beta'],
  'Responses.*': [/^(?:[2-5]\d\d|default)$/, 'write one status, or default'],
  'MediaTypesMap.*': [/^application\/json$/, 'use application/json'],
  'Parameter.in': [/^(?:path|query|header)$/, 'use a header or a query parameter'],
  'Parameter.name': [/^(?!(?:body|__proto__)$)/, 'rename it'],
  'Parameter.x-idempotency-key': [/^true$/, 'write true'],
  'Parameter.x-idempotency-hours': [/^[1-9]\d*$/, 'write a number of hours'],
  'Schema.format': [/^(?:int32|int64|float|double)$/, 'use int32 or int64, for a text a pattern'],
  'SchemaProperties.*': [/^(?!__proto__$)/, 'rename it'],
  'NamedSchemas.*': [/^[A-Z][A-Za-z0-9]*$/, 'write a name such as NewPet'],
};

/** Refuses a construct: says what it is, and what to write instead. `key` names the member that is meant. */
export type Refuse = (problem: string, fix: string, key?: string) => void;

/** Where an object stands: its own key, and what a reference leads to. */
export interface Place {
  readonly own: string;
  readonly follow: (value: unknown) => Node;
}

/** Rules for what the tables cannot say, by the type of object. */
export const rules: Readonly<Record<string, (object: Node, refuse: Refuse, place: Place) => void>> =
  {
    Root: ({ paths, security }, refuse) => {
      if (Object.keys(node(paths)).length === 0) refuse('a document without paths', 'describe one');
      if (list(security).length !== 1 || Object.keys(node(list(security)[0])).length !== 1)
        refuse(
          'a security other than one bearer key',
          'write security: [{ bearer: [] }]',
          'security',
        );
    },
    Operation: (operation, refuse, { own: method, follow }) => {
      const { content } = follow(node(operation.responses)['200']);
      if (
        'x-pagination' in operation &&
        follow(node(node(content)['application/json']).schema).type !== 'array'
      )
        refuse(
          'x-pagination without a list',
          'declare the response 200 with an array',
          'x-pagination',
        );
      if (/^(?:get|delete)$/.test(method) && operation.requestBody)
        refuse(`a body of ${method.toUpperCase()}`, 'use POST or PUT', 'requestBody');
      if (!Object.keys(node(operation.responses)).some((status) => /^2\d\d$/.test(status)))
        refuse('an operation without a success', 'declare a response such as "200"', 'responses');
      for (const key of ['x-deprecated-since', 'x-sunset', 'x-successor'].filter(
        (each) => each in operation,
      ))
        if (operation.deprecated !== true)
          refuse(`${key} without deprecated`, 'add deprecated: true', key);
    },
    Responses: (responses, refuse, { follow }) => {
      for (const status of Object.keys(responses).filter((each) => /^(?:204|205|304)$/.test(each)))
        if ('content' in follow(responses[status]))
          refuse(`a body of ${status}`, 'remove its content', status);
    },
    MediaType: ({ schema }, refuse) => {
      if (schema === undefined) refuse('JSON without a schema', 'declare its schema');
    },
    Parameter: (parameter, refuse, { follow }) => {
      const { name, in: place, style, explode, required } = parameter;
      const isInQuery = place === 'query';
      const isOwn =
        /^(?:accept|authorization|connection|content-\w+|cookie|expect|host|te|trailer|transfer-encoding|upgrade)$/i.test(
          String(name),
        );
      if (place === 'header' && (isOwn || !/^[\w!#$%&'*+.^`|~-]+$/.test(String(name))))
        refuse(`the header parameter '${name}'`, 'remove it, or correct its name', 'name');
      if (place === 'path' && !/^\w+$/.test(String(name)))
        refuse(`the path parameter '${name}'`, 'use letters and digits', 'name');
      if (place === 'path' && required !== true)
        refuse('an optional path parameter', 'write required: true', 'name');
      if ('x-idempotency-key' in parameter && place !== 'header')
        refuse(`x-idempotency-key in ${place}`, 'use a header', 'x-idempotency-key');
      if (style !== undefined && style !== (isInQuery ? 'form' : 'simple'))
        refuse(`style ${style}`, 'leave it out', 'style');
      if (explode !== undefined && explode !== isInQuery)
        refuse(
          `explode: ${explode}`,
          'leave it out, and repeat the parameter for each value',
          'explode',
        );
      const schema = follow(parameter.schema);
      if (!isScalar(isInQuery && schema.type === 'array' ? follow(schema.items) : schema))
        refuse(
          `a ${place} parameter that is no scalar`,
          scalarFix + (isInQuery ? ', or an array of them' : ''),
          'schema',
        );
    },
    Header: (header, refuse, { follow }) => {
      if (!isScalar(follow(header.schema)))
        refuse('a header that is no scalar', scalarFix, 'schema');
    },
    Schema: (schema, refuse, { follow }) => {
      const { const: only, enum: listed, pattern, allOf } = schema;
      const forms = ['type', 'oneOf', 'anyOf', 'allOf', 'const'].filter((key) => key in schema);
      if (forms.length !== 1 && forms.join() !== 'type,const')
        refuse(
          `a schema with ${forms.join(' and ') || 'no type'}`,
          'write one of type, oneOf, anyOf, allOf',
          forms[1],
        );
      const types = [schema.type].flat().map(String);
      if (types.filter((name) => name !== 'null').length !== 1)
        refuse(
          `type [${types}]`,
          "write oneOf for several types; [string, 'null'] allows null",
          'type',
        );
      if (
        'const' in schema &&
        (Object(only) === only || only === null || types.includes('null') || listed)
      )
        refuse('this const', 'write a scalar, without enum and null', 'const');
      for (const key of ['properties', 'required', 'additionalProperties'])
        if (key in schema && !types.includes('object'))
          refuse(`${key} without type: object`, 'add the type', key);
      if ('items' in schema !== types.includes('array'))
        refuse('items without type: array, or an array without items', 'write both');
      const shared = list(allOf).flatMap((part) => Object.keys(node(follow(part).properties)));
      if (new Set(shared).size < shared.length)
        refuse('allOf of objects that share a property', 'declare it in one of them', 'allOf');
      const names = Object.keys(node(schema.properties)).map(kebab);
      if (new Set(names).size < names.length)
        refuse('two properties with the same words', 'rename one of them', 'properties');
      if (list(allOf).some((part) => !('allOf' in follow(part)) && follow(part).type !== 'object'))
        refuse('allOf of something else than objects', 'write one schema', 'allOf');
      if (pattern !== undefined && !isPattern(String(pattern)))
        refuse(
          `the pattern ${pattern}`,
          'write a regular expression that compiles with the flag u',
          'pattern',
        );
      // The parser of YAML has already rounded such a number.
      for (const [key, value] of Object.entries(schema))
        if (
          [value]
            .flat()
            .some((each) => typeof each === 'number' && Math.abs(each) > Number.MAX_SAFE_INTEGER)
        )
          refuse(
            `a number beyond ±(2^53−1) in ${key}`,
            'leave it out: int64 has its own bounds',
            key,
          );
    },
  };

const scalarFix = `use ${scalars.join(', ')}`;

function isScalar({ type, const: only }: Node): boolean {
  return (
    scalars.includes(String(type)) ||
    (type === undefined && only !== undefined && Object(only) !== only)
  );
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
