import { type Document, isNode, list, node, reject } from './document.ts';

/** Returns the document in OpenAPI 3.1. Upgrades a document in 3.0, and rejects any other version. */
export function upgraded(document: Document): Document {
  const version = String(document.openapi ?? document.swagger ?? 'none');
  if (/^3\.1\.\d/.test(version)) return document;
  if (!/^3\.0\.\d/.test(version)) reject('openapi', `the OpenAPI version is ${version}`, 'use 3.1 or 3.0');
  return { ...node(upgradeBelow(document, '')), openapi: '3.1.0' };
}

const schemaMaps = new Set(['properties', 'schemas']);
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf']);
const schemaKeys = new Set(['schema', 'items', 'additionalProperties', 'not']);

/** Upgrades the schemas below a value. Examples, defaults and extensions are data, and do not change. */
function upgradeBelow(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((one) => upgradeBelow(one, key));
  if (!isNode(value)) return value;
  if (key === 'schemas') return mapped(value, upgradeSchema);
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      name.startsWith('x-') || name === 'example' || name === 'examples'
        ? child
        : name === 'schema'
          ? upgradeSchema(child)
          : name === 'multipart/form-data'
            ? upgradeBelow({ ...node(child), encoding: withoutStyles(node(child).encoding) }, name)
            : upgradeBelow(child, name),
    ]),
  );
}

/** Removes the styles from encodings, because 3.0 defines styles only for application/x-www-form-urlencoded. */
function withoutStyles(encoding: unknown): unknown {
  return mapped(node(encoding), (rules) => {
    const { style, explode, allowReserved, ...rest } = node(rules);
    return rest;
  });
}

function upgradeSchema(schema: unknown): unknown {
  if (!isNode(schema)) return schema;
  // 3.0 ignores keywords beside a reference, so the keywords are removed.
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  const up: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (schemaMaps.has(key)) up[key] = mapped(node(value), upgradeSchema);
    else if (schemaLists.has(key)) up[key] = list(value).map(upgradeSchema);
    else if (schemaKeys.has(key)) up[key] = upgradeSchema(value);
    else up[key] = value;
  }
  upgradeBounds(up);
  upgradeBinary(up);
  upgradeNullable(up);
  return up;
}

function upgradeBounds(schema: Record<string, unknown>): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const isExclusive = schema[exclusive];
    delete schema[exclusive];
    if (!isExclusive || schema[bound] === undefined) continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
}

/** Upgrades binary formats as the upgrade guide of the OpenAPI Initiative says. */
function upgradeBinary(schema: Record<string, unknown>): void {
  if (schema.type !== 'string') return;
  if (schema.format === 'binary') {
    delete schema.format;
    schema.contentMediaType = 'application/octet-stream';
  }
  if (schema.format === 'byte' || schema.format === 'base64') {
    delete schema.format;
    schema.contentEncoding = 'base64';
  }
}

function upgradeNullable(schema: Record<string, unknown>): void {
  const { nullable } = schema;
  delete schema.nullable;
  if (nullable !== true) return;
  if (typeof schema.type === 'string') {
    schema.type = [schema.type, 'null'];
    if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
    return;
  }
  // 3.0 does not define `nullable` without a type. Beside a composition, null is meant as a further alternative, so it is added.
  const { description, ...rest } = schema;
  if (Object.keys(rest).length === 0) return;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] });
}

function mapped(map: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}
