import { type Document, defined, isData, isMap, isNode, mapped, type Node, node, reject } from './document.ts';
import { withSubschemas } from './schemas.ts';

/** Returns the document in OpenAPI 3.1. Upgrades a document in 3.0, and rejects any other version. */
export function upgraded(document: Document): Document {
  const version = String(document.openapi ?? document.swagger ?? 'none');
  if (/^3\.1\.\d/.test(version)) return document;
  if (!/^3\.0\.\d/.test(version)) reject('openapi', `the OpenAPI version is ${version}`, 'use 3.1 or 3.0');
  return { ...node(upgradeBelow(document, '')), openapi: '3.1.0' };
}

/** Upgrades the schemas in a value. `keyword` is empty below a name and in a list. Data and extensions do not change. */
function upgradeBelow(value: unknown, keyword: string): unknown {
  if (isData(keyword) || keyword.startsWith('x-')) return value;
  if (Array.isArray(value)) return value.map((element) => upgradeBelow(element, ''));
  if (!isNode(value)) return value;
  if (keyword === 'schema') return upgradeSchema(value);
  if (keyword === 'schemas') return mapped(value, upgradeSchema);
  if (isMap(keyword, value)) return mapped(value, (named) => upgradeBelow(named, ''));
  const upgradable = keyword === 'multipart/form-data' ? { ...value, encoding: withoutStyles(value.encoding) } : value;
  return mapped(upgradable, upgradeBelow);
}

/** Removes the styles from encodings, because 3.0 defines styles only for application/x-www-form-urlencoded. */
function withoutStyles(encoding: unknown): unknown {
  return mapped(node(encoding), (property) => {
    const { style, explode, allowReserved, ...rest } = node(property);
    return rest;
  });
}

function upgradeSchema(schema: unknown): unknown {
  if (!isNode(schema)) return schema;
  // 3.0 ignores keywords beside a reference, so the keywords are removed.
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  const { nullable, ...up }: Record<string, unknown> = withSubschemas(schema, upgradeSchema);
  upgradeBounds(up);
  upgradeBinary(up);
  return nullable === true ? orNull(up) : up;
}

function upgradeBounds(schema: Record<string, unknown>): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const { [exclusive]: isExclusive, [bound]: value } = schema;
    if (typeof isExclusive !== 'boolean') continue;
    delete schema[exclusive];
    if (!isExclusive || value === undefined) continue;
    schema[exclusive] = value;
    delete schema[bound];
  }
}

/** Upgrades binary formats as the upgrade guide of the OpenAPI Initiative says. */
function upgradeBinary(schema: Record<string, unknown>): void {
  const { type, format } = schema;
  if (type !== 'string') return;
  if (format === 'binary') schema.contentMediaType = 'application/octet-stream';
  else if (format === 'byte' || format === 'base64') schema.contentEncoding = 'base64';
  else return;
  delete schema.format;
}

function orNull(schema: Node): Node {
  const { type, enum: values } = schema;
  if (typeof type === 'string') {
    const lacksNull = Array.isArray(values) && !values.includes(null);
    return { ...schema, type: [type, 'null'], ...(lacksNull && { enum: [...values, null] }) };
  }
  // 3.0 does not define `nullable` without a type. Beside a composition, null is meant as a further alternative, so it is added.
  const { description, ...rest } = schema;
  if (Object.keys(rest).length === 0) return schema;
  return defined({ description, anyOf: [rest, { type: 'null' }] });
}
