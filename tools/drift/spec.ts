// The spec as the checks read it: the operations of the generator's table, and what only the document says.
import { isDeepStrictEqual } from 'node:util';
import {
  exactJson,
  type Field,
  type Schema,
  type Operation as TableOperation,
} from '@petstore/types';
import { parseYaml } from '@redocly/openapi-core';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { followed, type Node, recordOf as node, operationsIn } from '../generate/document.ts';
import { tableOf } from '../generate/table.ts';

/** A parameter or a header. */
export type Parameter = Pick<Field, 'required' | 'schema'> & {
  readonly name: string;
  readonly in: string;
};

export interface Operation extends TableOperation {
  readonly declared: Node;
  /** All but the idempotency key. */
  readonly parameters: readonly Parameter[];
  readonly bodySchema: Schema | undefined;
  /** The headers of each response, by their names in lower case. */
  readonly headers: Readonly<
    Record<string, Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>>>
  >;
}

export interface Spec {
  readonly text: string;
  readonly document: Node;
  readonly operations: readonly Operation[];
  readonly deployments: Readonly<Record<string, string>>;
  readonly version: string;
  readonly basePath: string;
  /** The HTTP status of each error code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The schema, or the one that it refers to. */
  follow(schema?: Schema): Schema;
  /** What is wrong with a value; undefined if the schema allows it. */
  faultOf(schema: Schema, value: unknown): string | undefined;
}

/** Reports a contradiction: what it is, and how to end it where that is not what always ends those of the check. */
export type Report = (what: string, fix?: string) => void;

/** A check of one promise. It may return a line to print. */
export type Check = (spec: Spec, report: Report) => Promise<string | undefined> | Promise<void>;

export const specFile = 'spec/openapi.yaml';

/** Headers that `info.description` declares for every response. The server always sends the first two. */
export const commonHeaders = [
  'X-Request-Id',
  'X-Content-Type-Options',
  'RateLimit',
  'RateLimit-Policy',
];

/** The bounds of the integer formats. */
export const integers: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

export function readSpec(text: string): Spec {
  const document = node(parseYaml(text));
  const { schemas } = node(document.components);
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  for (const [name, [low, high]] of Object.entries(integers))
    ajv.addFormat(name, { type: 'number', validate: (value) => value >= low && value <= high });
  const follow = (schema: Schema = {}): Schema => {
    const { $ref, ...beside } = schema;
    return typeof $ref === 'string'
      ? { ...follow(followed(document, { $ref })), ...beside }
      : schema;
  };
  const compiled = new Map<Schema, ValidateFunction>();
  const faultOf = (schema: Schema, value: unknown) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
    compiled.set(schema, validate);
    if (validate(withoutBigInts(value))) return undefined;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    return `${instancePath} ${message} ${JSON.stringify(params)}`.trim();
  };
  const { operations, service, deployments, version } = tableOf(document);
  const declarations = operationsIn(document);
  const { statuses, basePath } = service;
  const all = operations.map((operation, i) => {
    const declared = node(declarations[i]?.operation);
    const headers = Object.entries(node(declared.responses)).map(([status, response]) => {
      const named = Object.entries(node(followed(document, response).headers));
      return [
        status,
        Object.fromEntries(
          named.map(([name, each]) => [name.toLowerCase(), followed(document, each)]),
        ),
      ];
    });
    const { content } = followed(document, declared.requestBody);
    const { schema: bodySchema } = node(node(content)['application/json']) as { schema?: Schema };
    const fields = Object.entries(operation.fields).filter(([, each]) => each.in !== 'body');
    const parameters = fields.map(([name, each]) => ({ name, ...each }));
    return { ...operation, declared, headers: Object.fromEntries(headers), bodySchema, parameters };
  });
  return {
    text,
    document,
    operations: all,
    deployments,
    version,
    basePath,
    statuses,
    follow,
    faultOf,
  };
}

/** Reports two values that should be equal. */
export function differ(report: Report, what: string, found: unknown, wanted: unknown): void {
  const shown = (value: unknown) =>
    (typeof value === 'string' ? value : exactJson(value))?.slice(0, 150) ?? 'absent';
  if (!isDeepStrictEqual(found, wanted)) report(`${what} is ${shown(found)}, not ${shown(wanted)}`);
}

/** ajv knows no bigint. The nearest double on the same side of the bounds of int64 gets the same answer. */
function withoutBigInts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (Object(value) === value)
    return Object.fromEntries(
      Object.entries(node(value)).map(([name, member]) => [name, withoutBigInts(member)]),
    );
  if (typeof value !== 'bigint') return value;
  const isInt64 = BigInt.asIntN(64, value) === value;
  return isInt64 ? Math.min(Number(value), 2 ** 63 - 1024) : Number(value) * (1 + Number.EPSILON);
}
