import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isFile } from './body.ts';
import type { Document, Schema } from './document.ts';

/** Returns a function that says whether a value may be sent for a schema of the document; formats are not checked. */
export function valueCheck(document: Document): (schema: Schema, value: unknown) => boolean {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const isOld = document.root.openapi.startsWith('3.0');
  for (const [path, content] of document.files) ajv.addSchema(asJsonSchema(content, isOld, '') as object, idOf(path));
  const main = idOf([...document.files.keys()][0] ?? '');
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return schema;
    const validate = compiled.get(schema) ?? ajv.compile(asJsonSchema(schema, isOld, main) as object);
    compiled.set(schema, validate);
    return validate(asJson(value)) === true;
  };
}

const idOf = (path: string) => `file://${path}`;

/** A copy with references that begin at the file's name, and the keywords of OpenAPI 3.0 as those of JSON Schema. */
function asJsonSchema(node: unknown, isOld: boolean, base: string): unknown {
  if (Array.isArray(node)) return node.map((item) => asJsonSchema(item, isOld, base));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) copy[key] = asJsonSchema(value, isOld, base);
  const { $ref } = copy;
  if (typeof $ref === 'string') {
    const target = $ref.startsWith('#') ? `${base}${$ref}` : idOf($ref);
    return isOld ? { $ref: target } : { ...copy, $ref: target };
  }
  // A dialect is for the document's own tools.
  delete copy.$schema;
  const isNullable = copy.nullable === true;
  delete copy.nullable;
  // The discriminator picks one alternative, even where JSON Schema sees several that fit.
  if (copy.oneOf && copy.discriminator) {
    copy.anyOf = copy.oneOf;
    delete copy.oneOf;
  }
  // What only the server writes is neither required nor sent in a request.
  const { properties = {}, required } = copy as { properties?: Record<string, Schema | false>; required?: unknown };
  const readOnly = Object.keys(properties).filter(
    (name) => (properties[name] as Schema | undefined)?.readOnly === true,
  );
  for (const name of readOnly) properties[name] = false;
  if (Array.isArray(required)) copy.required = required.filter((name) => !readOnly.includes(name));
  if (!isOld) return copy;
  for (const bound of ['Minimum', 'Maximum'] as const) {
    const plain = bound.toLowerCase();
    const isExclusive = copy[`exclusive${bound}`];
    if (typeof isExclusive !== 'boolean') continue;
    delete copy[`exclusive${bound}`];
    if (!isExclusive) continue;
    copy[`exclusive${bound}`] = copy[plain];
    delete copy[plain];
  }
  return isNullable ? { anyOf: [copy, { type: 'null' }] } : copy;
}

/** Files as text and bigints as numbers, because the check knows JSON only. */
function asJson(value: unknown): unknown {
  if (isFile(value)) return '';
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item)]));
}
