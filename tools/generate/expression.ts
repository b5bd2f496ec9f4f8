// Values as expressions of generated code.
import { $ } from '@hey-api/openapi-ts';
import { isRecord, type Node, schemaNameOf } from './document.ts';

/** The symbols of constants, by the names of their schemas. */
export type Constants = ReadonlyMap<string, Parameters<typeof $>[0]>;

type Expression = ReturnType<typeof $.fromValue>;

/** Data as an expression. A reference to a schema becomes the constant of the schema, if it has one. */
export function expressionOf(value: unknown, constants: Constants = new Map()): Expression {
  if (Array.isArray(value))
    return $.array(...value.map((item) => expressionOf(item, constants))).inline();
  if (typeof value === 'string') return textOf(value);
  if (!isRecord(value)) return $.fromValue(value);
  const { $ref, ...beside } = value;
  const constant = constants.get(schemaNameOf($ref) ?? '');
  if (!constant) return objectOf(value, constants);
  // Beside a reference there may be a description of its own.
  if (Object.keys(beside).length === 0) return $(constant);
  return objectOf(beside, constants, $.object().spread($(constant)));
}

/** hey-api would print the text `\u0041` as `A`, so such a text is written with the code of the backslash. */
function textOf(text: string): Expression {
  if (!text.includes('\\u')) return $.literal(text);
  return $(JSON.stringify(text).replaceAll('\\\\u', '\\x5cu'));
}

/** The object without the properties that are undefined. */
function objectOf(value: Node, constants: Constants, object = $.object()): Expression {
  for (const [key, property] of Object.entries(value))
    if (property !== undefined) object.prop(key, expressionOf(property, constants));
  return object.pretty();
}
