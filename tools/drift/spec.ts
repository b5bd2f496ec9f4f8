// A small reader of spec/openapi.yaml. It is independent of the generator's, so that a fault of either shows.
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

export type Node = Readonly<Record<string, unknown>>;

type Limit = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';
type Length = 'minLength' | 'maxLength' | 'minItems' | 'maxItems';

export interface Schema extends Readonly<Partial<Record<Limit | Length, number>>> {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** A parameter or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Body {
  readonly required?: boolean;
  readonly type: string;
  readonly schema: Schema;
  readonly examples: readonly unknown[];
}

export interface Response {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, Parameter>>;
  readonly body: Body | undefined;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Without the base path. */
  readonly path: string;
  readonly declared: Node;
  /** All but the idempotency key. */
  readonly parameters: readonly Parameter[];
  readonly idempotencyKey: Parameter | undefined;
  readonly body: Body | undefined;
  /** By their statuses, or `default`. */
  readonly responses: Readonly<Record<string, Response>>;
  readonly pagination: { readonly cursor: string; readonly key: string; readonly limit: string } | undefined;
}

export interface Spec {
  readonly text: string;
  readonly document: Node;
  readonly operations: readonly Operation[];
  readonly basePath: string;
  /** The HTTP status of each error code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The schema, or the one that it refers to. */
  follow(schema?: Schema): Schema;
  /** What is wrong with a value; undefined if the schema allows it. */
  faultOf(schema: Schema, value: unknown): string | undefined;
}

export const specFile = 'spec/openapi.yaml';
export const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** Headers that `info.description` declares for every response. The server always sends the first two. */
export const commonHeaders = ['X-Request-Id', 'X-Content-Type-Options', 'RateLimit', 'RateLimit-Policy'];

/** The text formats that are checked, with a text of each. */
export const formats: Readonly<Record<string, readonly [sample: string, pattern: RegExp]>> = {
  date: ['2026-02-28', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/],
  'date-time': ['2026-02-28T12:30:00Z', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/],
  uuid: ['8e03978e-40d5-43dd-bc93-6894a57f9324', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  email: ['rex@example.com', /^[^@\s]+@[^@\s]+$/],
  uri: ['https://example.com/rex', /^[a-z][a-z\d+.-]*:\S*$/i],
};

/** The bounds of the integer formats. */
export const integers: Readonly<Record<string, readonly [number | bigint, number | bigint]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

export function readSpec(text: string): Spec {
  const document = node(parse(text));
  const { schemas } = node(document.components);
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  for (const [name, [, pattern]] of Object.entries(formats)) ajv.addFormat(name, pattern);
  for (const [name, [low, high]] of Object.entries(integers))
    ajv.addFormat(name, { type: 'number', validate: (value) => value >= low && value <= high });

  const target = (reference: string) => {
    const found = reference
      .split('/')
      .slice(1)
      .reduce<unknown>((parent, name) => node(parent)[name], document);
    if (found === undefined) throw new Error(`${specFile} has no ${reference}`);
    return found;
  };
  const follow = (schema: Schema = {}): Schema => {
    const { $ref, ...beside } = schema;
    return typeof $ref === 'string' ? { ...follow(target($ref) as Schema), ...beside } : schema;
  };
  /** The value with all references replaced, but those to schemas. */
  const open = (value: unknown): unknown => {
    const { $ref = '#/components/schemas/' } = node(value);
    if (!String($ref).startsWith('#/components/schemas/')) return open(target(String($ref)));
    return mapped(value, open);
  };

  const compiled = new Map<Schema, ValidateFunction>();
  const faultOf = (schema: Schema, value: unknown) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
    compiled.set(schema, validate);
    if (validate(withoutBigInts(value))) return undefined;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    return `${instancePath} ${message} ${JSON.stringify(params)}`.trim();
  };

  const [server] = list(document.servers);
  const statuses = node(node(node(schemas).ErrorCode)['x-statuses']);
  const operations = Object.entries(node(open(document.paths))).flatMap(([path, item]) =>
    methods.filter((each) => each.toLowerCase() in node(item)).map((method) => operationOf(path, method, node(item))),
  );
  const basePath = new URL(urlOf(node(server)), 'http://localhost').pathname.replace(/\/$/, '');
  return { text, document, operations, basePath, statuses: statuses as Spec['statuses'], follow, faultOf };
}

function operationOf(path: string, method: string, item: Node): Operation {
  const declared = node(item[method.toLowerCase()]);
  const all = [...list(item.parameters), ...list(declared.parameters)] as (Parameter & Node)[];
  const parameters = [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
  const responses = Object.entries(node(declared.responses)).map(([status, response]): [string, Response] => {
    const headers = Object.entries(node(node(response).headers)).map(([name, header]) => [name.toLowerCase(), header]);
    return [status, { headers: Object.fromEntries(headers), body: bodyOf(response) }];
  });
  return {
    id: String(declared.operationId),
    method,
    path,
    declared,
    parameters: parameters.filter((each) => !each['x-idempotency-key']),
    idempotencyKey: parameters.find((each) => each['x-idempotency-key']),
    body: bodyOf(declared.requestBody),
    responses: Object.fromEntries(responses),
    pagination: declared['x-pagination'] as Operation['pagination'],
  };
}

function bodyOf(value: unknown): Body | undefined {
  const { required, content } = node(value);
  const [[type, media] = []] = Object.entries(node(content));
  const { schema = {} } = node(media) as { schema?: Schema };
  return type ? { required: required === true, type, schema, examples: examplesIn(node(media)) } : undefined;
}

/** The URL of a server, with the defaults of its variables. */
export function urlOf({ url = '/', variables }: Node): string {
  return String(url).replaceAll(/\{(.*?)\}/g, (_, name) => String(node(node(variables)[name]).default));
}

/** The values of `example` and `examples`. */
export function examplesIn({ example, examples }: Node): unknown[] {
  const named = Array.isArray(examples) ? examples : Object.values(node(examples)).map((each) => node(each).value);
  return example === undefined ? named : [example, ...named];
}

export const node = (value: unknown): Node => (Object(value) === value ? (value as Node) : {});

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (Object(value) !== value) return value;
  return Object.fromEntries(Object.entries(node(value)).map(([name, member]) => [name, change(member)]));
}

/** ajv knows no bigint. The nearest double on the same side of the bounds of int64 gets the same answer. */
function withoutBigInts(value: unknown): unknown {
  if (typeof value !== 'bigint') return mapped(value, withoutBigInts);
  const isInt64 = BigInt.asIntN(64, value) === value;
  return isInt64 ? Math.min(Number(value), 2 ** 63 - 1024) : Number(value) * (1 + Number.EPSILON);
}
