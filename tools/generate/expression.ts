// Data as expressions of generated code.
import ts from 'typescript';
import { isRecord, type Node, schemaNameOf } from './document.ts';

/** The names of constants, by the names of their schemas. */
export type Constants = ReadonlyMap<string, string>;

/**
 * Data as an expression. A reference to a schema becomes the constant of the schema, if it has one.
 */
export function expressionOf(value: unknown, constants: Constants = new Map()): ts.Expression {
  if (Array.isArray(value)) {
    const items = value.map((item) => expressionOf(item, constants));
    return ts.factory.createArrayLiteralExpression(items);
  }
  if (!isRecord(value)) return verbatim(JSON.stringify(value));
  const { $ref, ...beside } = value;
  const constant = constants.get(schemaNameOf($ref) ?? '');
  if (constant === undefined) return objectOf(propertiesOf(value, constants));
  if (Object.keys(beside).length === 0) return verbatim(constant);
  // A reference may have a description of its own.
  const spread = ts.factory.createSpreadAssignment(verbatim(constant));
  return objectOf([spread, ...propertiesOf(beside, constants)]);
}

/** Without the properties that are undefined. */
function propertiesOf(value: Node, constants: Constants): ts.PropertyAssignment[] {
  const properties = Object.entries(value).filter(([, property]) => property !== undefined);
  return properties.map(([key, property]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return ts.factory.createPropertyAssignment(verbatim(name), expressionOf(property, constants));
  });
}

function objectOf(properties: readonly ts.ObjectLiteralElementLike[]): ts.Expression {
  const multiLine = true;
  return ts.factory.createObjectLiteralExpression(properties, multiLine);
}

/**
 * The printer writes identifiers as they are. hey-api writes `\u0041` as `A`, so the backslash is
 * written by its code.
 */
function verbatim(code: string): ts.Identifier {
  return ts.factory.createIdentifier(code.replaceAll('\\\\u', '\\x5cu'));
}
