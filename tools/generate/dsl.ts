// What hey-api's builder of code lacks: types with methods, and data as expressions.
import { $, TsDsl } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { isRecord, type Node, schemaNameOf } from './document.ts';

interface Method {
  readonly name: string;
  readonly doc: readonly string[];
  readonly type: ReturnType<typeof $.type.func>;
}

/**
 * A type with methods. hey-api has only properties that are functions. For those, editors show no
 * documentation while a user types arguments, and none at all if there are several signatures.
 */
export class MethodsType extends TsDsl<ts.TypeLiteralNode> {
  readonly '~dsl' = 'MethodsType';
  override scope = 'type' as const;
  private readonly methods: Method[] = [];

  /** Adds a signature of a method. */
  method(name: string, doc: readonly string[], type: Method['type']): this {
    this.methods.push({ name, doc, type });
    return this;
  }

  /** Shows hey-api the types in use, which it then imports. */
  override analyze(context: Parameters<TsDsl['analyze']>[0]): void {
    super.analyze(context);
    for (const { type } of this.methods) context.analyze(type);
  }

  override toAst(): ts.TypeLiteralNode {
    const signatures = this.methods.map(({ name, doc, type }) => {
      const { typeParameters, parameters, type: result } = type.toAst();
      return $.doc([...doc]).apply(
        ts.factory.createMethodSignature(
          undefined,
          name,
          undefined,
          typeParameters,
          parameters,
          result,
        ),
      );
    });
    return ts.factory.createTypeLiteralNode(signatures);
  }
}

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
  const { $ref, ...siblings } = value;
  const constant = constants.get(schemaNameOf($ref) ?? '');
  if (constant === undefined) return objectOf(propertiesOf(value, constants));
  if (Object.keys(siblings).length === 0) return verbatim(constant);
  // A reference may have a description of its own.
  const spread = ts.factory.createSpreadAssignment(verbatim(constant));
  return objectOf([spread, ...propertiesOf(siblings, constants)]);
}

/** The properties of an object, without those that are undefined. */
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

/** Code as it is: the printer does not change identifiers. */
function verbatim(code: string): ts.Identifier {
  return ts.factory.createIdentifier(escapeForHeyApi(code));
}

/**
 * The text that hey-api has to print, so that this text comes out: it prints `\u0041` as `A`. All
 * names, values and comments that this generator gives to hey-api pass here.
 */
export function escapeForHeyApi(text: string): string {
  return text.replaceAll(/\\(?=u[0-9a-fA-F]{4})/g, '\\u005c');
}
