// The supported part of OpenAPI: one table of keywords, and rules for their values. Everything else is refused, with its place and
// what to write instead, before anything is generated.
import {
  createConfig,
  getLineColLocation,
  lintFromString,
  type Oas3Rule,
  type UserContext,
} from '@redocly/openapi-core';
import { commandOf } from './names.ts';
import { isJson, type Node, node } from './table.ts';

/** The keywords that are generated for, by the type of object. What is not here is refused. */
export const handled: Readonly<Record<string, string>> = {
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

/** What to write instead of a construct that people often use. */
const instead: Readonly<Record<string, string>> = {
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

/** Objects whose keys are names, not keywords. */
const isNamed = (type: string) =>
  /(?:Map|List|Properties)$|^(?:Named|Paths$|Responses$|SecurityRequirement$|(?:AllOf|AnyOf|OneOf)$)/.test(type);

/** One construct that the generator does not support. */
export interface Refusal {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Refuses a construct: says what it is, and what to write instead. `key` names the member that is meant. */
type Refuse = (problem: string, fix: string, key?: string | number) => void;

type Rule = (value: Node, refuse: Refuse, context: UserContext) => void;

const formats = 'int32 int64 float double date date-time time duration uuid email hostname ipv4 ipv6 uri uri-reference';
const scalars = ['string', 'number', 'integer', 'boolean'];

/** Rules for the values of keywords, by the type of object. */
const rules: Readonly<Record<string, Rule>> = {
  Root: (root, refuse) => {
    if (!/^3\.1\.\d+$/.test(String(root.openapi))) refuse(`OpenAPI ${root.openapi}`, 'write openapi: 3.1.0', 'openapi');
    if (!Array.isArray(root.security) || root.security.length !== 1 || Object.keys(node(root.security[0])).length !== 1)
      refuse('a security other than one bearer key', 'write security: [{ bearer: [] }]', 'security');
  },
  SecurityScheme: ({ type, scheme }, refuse) => {
    if (type !== 'http' || String(scheme).toLowerCase() !== 'bearer')
      refuse(`the security scheme ${type}${scheme ? ` ${scheme}` : ''}`, 'write type: http, scheme: bearer', 'type');
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
    for (const key of ['x-deprecated-since', 'x-sunset'])
      if (operation[key] !== undefined && !isDate(operation[key]))
        refuse(`the date ${operation[key]}`, `write a date such as "2030-12-31"`, key);
    const stability = operation['x-stability-level'];
    if (stability !== undefined && stability !== 'experimental' && stability !== 'beta')
      refuse(`the stability level ${stability}`, 'write experimental or beta', 'x-stability-level');
    const unknown = Object.keys(node(operation['x-pagination'])).find((key) => !/^(?:cursor|key|limit)$/.test(key));
    if (unknown) refuse(`x-pagination.${unknown}`, 'write cursor, key and limit', 'x-pagination');
  },
  Responses: (responses, refuse) => {
    for (const status of Object.keys(responses))
      if (!/^(?:[2-5]\d\d|default)$/.test(status))
        refuse(`the status ${status}`, 'write one status, or default', status);
  },
  MediaTypesMap: (content, refuse) => {
    for (const type of Object.keys(content))
      if (!isJson(type)) refuse(`the media type ${type}`, 'use application/json', type);
  },
  Parameter: (parameter, refuse, context) => {
    const { name, in: place, style, explode } = parameter;
    const schema = resolved(parameter.schema, context);
    if (place === 'cookie') refuse(`the cookie ${name}`, 'use a header or a query parameter', 'in');
    if (place === 'header' && /^(?:accept|content-type|authorization)$/i.test(String(name)))
      refuse(`the header parameter ${name}`, 'remove it: media types and security describe it', 'name');
    if (place === 'path' && !/^\w+$/.test(String(name)))
      refuse(`the path parameter '${name}'`, 'use letters and digits', 'name');
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
  Schema: (schema, refuse) => {
    const { format, pattern, type } = schema;
    if (format !== undefined && !formats.split(' ').includes(String(format)))
      refuse(`format ${format}`, `use ${formats.replaceAll(' ', ', ')}, or a pattern`, 'format');
    if (typeof pattern === 'string' && !isPattern(pattern))
      refuse(`the pattern ${pattern}`, 'correct it: it is no regular expression with the flag u', 'pattern');
    if (Array.isArray(type) && type.filter((name) => name !== 'null').length !== 1)
      refuse(`type [${type}]`, "write oneOf for several types; [string, 'null'] allows null", 'type');
    // The parser of YAML has already rounded such a number.
    for (const key of ['default', 'const', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
      if ([schema[key]].flat().some((value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER))
        refuse(`an integer beyond ±(2^53−1) in ${key}`, 'leave it out: int64 has its own bounds', key);
  },
  NamedSchemas: (schemas, refuse) => {
    for (const name of Object.keys(schemas))
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) refuse(`the schema name ${name}`, 'write a name such as NewPet', name);
  },
};

/** The linter's own rules that apply too, and what to do about each. */
const advice: Readonly<Record<string, string>> = {
  struct: 'correct it',
  'no-unresolved-refs': 'correct the reference',
  'no-identical-paths': 'use the same names',
  'operation-operationId-unique': 'choose another',
  'operation-parameters-unique': 'remove one of them',
  'path-parameters-defined': 'declare the parameter, or correct the path',
  'path-not-include-query': 'declare query parameters',
  'security-defined': 'define it in components.securitySchemes',
};

/** All refusals of a document, in the order of their places. */
export async function refusalsOf(text: string, file: string): Promise<Refusal[]> {
  const config = await createConfig({
    plugins: [{ id: 'petstore', rules: { oas3: { supported, unique } } }],
    rules: Object.fromEntries(
      ['petstore/supported', 'petstore/unique', ...Object.keys(advice)].map((rule) => [rule, 'error'] as const),
    ),
  });
  const problems = await lintFromString({ source: text, absoluteRef: file, config });
  const refusals = problems
    // `supported` refuses other files, whether they are there or not.
    .filter(({ message }) => !message.startsWith("Can't resolve $ref: "))
    .map(({ ruleId, message, suggest, location: [place] }) => {
      const { start } = place ? getLineColLocation(place) : { start: { line: 1, col: 1 } };
      const fix = suggest.length > 0 ? `did you mean ${suggest[0]}?` : `${advice[ruleId]}.`;
      return { line: start.line, column: start.col, message: ruleId in advice ? `${message} ${fix}` : message };
    });
  // Where both a rule of ours and one of the linter refuse a place, ours says what to write.
  const places = new Map(refusals.toReversed().map((refusal) => [`${refusal.line}:${refusal.column}`, refusal]));
  return [...places.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Refuses keywords and values that are not handled. */
const supported: Oas3Rule = () => ({
  any(value, context) {
    const type = context.type.name;
    if (type === 'SpecExtension' || Object(value) !== value) return;
    const refuse = refuseAt(context);
    const keywords = handled[type]?.split(' ');
    if (!keywords && !isNamed(type)) refuse(`${type}`, 'remove it');
    for (const key of keywords ? Object.keys(value) : []) {
      const nearest = key.startsWith('x-') ? 'remove it, or correct its name' : 'remove it';
      if (!keywords?.includes(key)) refuse(`${key} of ${article(type)}`, instead[key] ?? nearest, key);
    }
    rules[type]?.(node(value), refuse, context);
  },
  ref(value, context) {
    const refuse = refuseAt(context);
    if (!String(value.$ref).startsWith('#/components/'))
      refuse(`the reference ${value.$ref}`, 'move its target to components of this document', '$ref');
    for (const key of Object.keys(value))
      if (key !== '$ref' && key !== 'description') refuse(`${key} beside $ref`, 'move it to the target', key);
  },
});

/** Refuses what is only wrong together with another place: commands that are taken, and successors that are none. */
const unique: Oas3Rule = () => ({
  Root: {
    leave(root, context) {
      const commands = new Map<string, string>();
      const operations = Object.entries(node(root.paths)).flatMap(([path, item]) =>
        Object.entries(node(item)).flatMap(([method, operation]) =>
          /^(?:get|put|post|delete|patch)$/.test(method) ? [{ path, method, operation: node(operation) }] : [],
        ),
      );
      const ids = operations.map(({ operation }) => operation.operationId);
      for (const { path, method, operation } of operations) {
        const refuse = refuseAt(context, ['paths', path, method]);
        const command = commandOf(operation, path);
        const taken = commands.get(command.join(' '));
        if (/^(?:auth|completion|help)$/.test(command[0] ?? '') || command[1] === 'import' || taken !== undefined)
          refuse(
            `the command '${command.join(' ')}' beside that of ${taken ?? 'petctl itself'}`,
            'choose another in x-command',
            operation['x-command'] ? 'x-command' : 'operationId',
          );
        commands.set(command.join(' '), String(operation.operationId));
        const successor = operation['x-successor'];
        if (successor !== undefined && !ids.includes(successor))
          refuse(`the successor ${successor}`, 'write the operationId of another operation', 'x-successor');
      }
    },
  },
});

function refuseAt(context: UserContext, path: readonly string[] = []): Refuse {
  return (problem, fix, key) => {
    const place = path.reduce((location, name) => location.child(name), context.location);
    const isThere = key !== undefined;
    context.report({
      message: `${problem} is not supported; ${fix}.`,
      location: isThere ? place.child(key).key() : place.key(),
    });
  };
}

/** The schema, or what it refers to. */
function resolved(schema: unknown, context: UserContext): Node {
  return node(node(schema).$ref === undefined ? schema : context.resolve({ $ref: String(node(schema).$ref) }).node);
}

function isScalar({ type, enum: values, const: only }: Node): boolean {
  return scalars.includes(String(type)) || (type === undefined && (values !== undefined || only !== undefined));
}

const scalarFix = (place: unknown) => `use ${scalars.join(', ')}${place === 'query' ? ', or an array of them' : ''}`;

const article = (type: string) => `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type.toLowerCase()}`;

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
