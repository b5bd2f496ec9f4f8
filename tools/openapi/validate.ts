import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isFile } from './body.ts';
import type { Document, Schema } from './document.ts';

/** Some properties are valid only in requests or only in responses. */
type Direction = 'request' | 'response';

/** Returns the errors of a value by a schema of the document; undefined if it is valid. Ignores formats. */
type ValueErrors = (schema: Schema, value: unknown) => string | undefined;

/** Returns a function that validates values of requests. */
export function valueCheck(document: Document): (schema: Schema, value: unknown) => boolean {
  const errorsOf = valueErrors(document, 'request');
  return (schema, value) => errorsOf(schema, value) === undefined;
}

const cache = { request: new WeakMap<object, ValueErrors>(), response: new WeakMap<object, ValueErrors>() };

/** Returns a function that validates values of requests or responses. */
export function valueErrors(document: Document, direction: Direction): ValueErrors {
  const errorsOf = cache[direction].get(document.root) ?? newValueErrors(document, direction);
  cache[direction].set(document.root, errorsOf);
  return errorsOf;
}

function newValueErrors(document: Document, direction: Direction): ValueErrors {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const isVersion30 = document.root.openapi.startsWith('3.0');
  const unsent = direction === 'request' ? 'readOnly' : 'writeOnly';
  ajv.addSchema(asJsonSchema(document.root, isVersion30, unsent) as object, DOCUMENT);
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return schema ? undefined : 'nothing is allowed';
    const validate = compiled.get(schema) ?? ajv.compile(asJsonSchema(schema, isVersion30, unsent) as object);
    compiled.set(schema, validate);
    return validate(asJson(value)) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** The address of the document's root. Absolute, because schemas may have identifiers of their own. */
const DOCUMENT = 'file:///document';

/** The keywords whose value is a map of schemas. The keys of a map are names, which may equal keywords. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'schemas']);

/** The keywords whose value is data. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'examples']);

/** A copy with references into the document, and with the keywords of OpenAPI 3.0 as JSON Schema. */
function asJsonSchema(node: unknown, isVersion30: boolean, unsent: 'readOnly' | 'writeOnly', isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => asJsonSchema(item, isVersion30, unsent));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    const isData = !isMap && DATA.has(key);
    copy[key] = isData ? value : asJsonSchema(value, isVersion30, unsent, !isMap && MAPS.has(key));
  }
  if (isMap) return copy;
  const { $ref } = copy;
  if (typeof $ref === 'string') {
    const target = `${DOCUMENT}${$ref}`;
    return isVersion30 ? { $ref: target } : { ...copy, $ref: target };
  }
  // ajv does not know the document's dialect.
  delete copy.$schema;
  const isNullable = copy.nullable === true;
  delete copy.nullable;
  // The discriminator selects one alternative, even if several are valid.
  if (copy.oneOf && copy.discriminator) {
    copy.anyOf = copy.oneOf;
    delete copy.oneOf;
  }
  // Properties of the other direction are neither required nor allowed.
  const { properties = {}, required } = copy as { properties?: Record<string, Schema | false>; required?: unknown };
  const excluded = Object.keys(properties).filter(
    (name) => (properties[name] as Schema | undefined)?.[unsent] === true,
  );
  for (const name of excluded) properties[name] = false;
  if (Array.isArray(required)) copy.required = required.filter((name) => !excluded.includes(name));
  if (!isVersion30) return copy;
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

/** Files as text and bigints as numbers, because ajv knows JSON only. */
function asJson(value: unknown): unknown {
  if (isFile(value)) return '';
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item)]));
}
