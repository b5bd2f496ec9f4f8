// Used by the generator alone: the server calls what it has written.
import { createRequire } from 'node:module';
import type { Operation } from '@petstore/types';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { type Ajv, checkCompiler, load, nameOf } from './compiled-checks.ts';
import { keywordChecks, withInt64Keyword } from './keywords.ts';

/** What writes code in the library of the validator. */
interface WritingAjv extends Ajv {
  scope: { value(prefix: string, value: { ref: unknown; code?: unknown }): unknown };
}

const require = createRequire(import.meta.url);
const { _ } = require('ajv') as { _(texts: TemplateStringsArray, ...values: string[]): object };
const writeCode = require('ajv/dist/standalone') as (ajv: Ajv, names: Record<string, string>) => string;
const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: object) => { ajvOpts: { request: object; preprocessor: object } };
};
const { SchemaPreprocessor } = load('middlewares/parsers/schema.preprocessor') as {
  SchemaPreprocessor: new (spec: object, options: object, validateResponses: false) => { preProcess(): void };
};

/**
 * The checks that the validator compiles for these operations, as CommonJS code that exports a function for each: of the
 * parameters, and of the bodies. Those that need a function without a name are left out.
 */
export function generateChecks(spec: OpenAPIV3.DocumentV3_1, operations: readonly Operation[]): [string, string] {
  const apiDoc = withInt64Keyword(spec);
  const { ajvOpts } = new OpenApiValidator({ apiSpec: apiDoc, validateSecurity: false, fileUploader: false });
  new SchemaPreprocessor(apiDoc, ajvOpts.preprocessor, false).preProcess();
  const code = { source: true, lines: true };
  const { ajv, ajvBody, compile } = checkCompiler(apiDoc, { ...ajvOpts.request, allErrors: false, code });
  for (const writing of [ajv, ajvBody]) callKeywordsByName(writing as WritingAjv);
  const names: Record<string, string> = {};
  for (const operation of operations) {
    const name = nameOf(operation);
    compile(operation);
    try {
      for (const writing of [ajv, ajvBody]) writeCode(writing, { [name]: name });
      names[name] = name;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('CodeGen: "code" for'))) throw error;
    }
  }
  return [writeCode(ajv, names), writeCode(ajvBody, names)];
}

function callKeywordsByName({ scope }: WritingAjv): void {
  const add = scope.value.bind(scope);
  scope.value = (prefix, value) => {
    const [name] = Object.entries(keywordChecks).find(([, check]) => check === value.ref) ?? [];
    return add(prefix, name === undefined ? value : { ...value, code: _`keywords[${name}]` });
  };
}
