import { $, TsDsl } from '@hey-api/openapi-ts';
import ts from 'typescript';

interface Method {
  readonly name: string;
  readonly doc: readonly string[];
  readonly type: ReturnType<typeof $.type.func>;
}

/**
 * A type with methods. hey-api has only properties that are functions, and for those editors show
 * no documentation beside the arguments, and none at all if there are several signatures.
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
