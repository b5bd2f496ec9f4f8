import { createRequire } from 'node:module';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import type { Operation } from '../../old.ts';
import { type Ajv, checkCompiler, prepareSpec } from './compiled-checks.ts';
import { keywordChecks, nameOf } from './keywords.ts';

/** The part of ajv that generates code. */
interface GeneratingAjv extends Ajv {
  scope: { value(prefix: string, value: { ref: unknown; code?: unknown }): unknown };
}

const require = createRequire(import.meta.url);
const { _ } = require('ajv') as { _(texts: TemplateStringsArray, ...values: string[]): object };
const standaloneCode = require('ajv/dist/standalone') as (ajv: Ajv, names: Record<string, string>) => string;

/**
 * The checks that the validator compiles for these operations, as two CommonJS modules, for parameters and for bodies. Each
 * exports a function per operation. Operations whose checks call an unnamed function are omitted.
 */
export function generateChecks(spec: OpenAPIV3.DocumentV3_1, operations: readonly Operation[]): [string, string] {
  const { apiDoc, ajvOpts } = prepareSpec(spec, false);
  const code = { source: true, lines: true };
  const { ajv, ajvBody, compile } = checkCompiler(apiDoc, { ...ajvOpts.request, allErrors: false, code });
  for (const compiler of [ajv, ajvBody]) callKeywordsByName(compiler as GeneratingAjv);
  const names: Record<string, string> = {};
  for (const operation of operations) {
    const name = nameOf(operation);
    compile(operation);
    try {
      for (const compiler of [ajv, ajvBody]) standaloneCode(compiler, { [name]: name });
      names[name] = name;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('CodeGen: "code" for'))) throw error;
    }
  }
  return [standaloneCode(ajv, names), standaloneCode(ajvBody, names)];
}

/** Makes the generated code refer to our keyword functions by name, because ajv cannot generate the code of a function. */
function callKeywordsByName({ scope }: GeneratingAjv): void {
  const add = scope.value.bind(scope);
  scope.value = (prefix, value) => {
    const [name] = Object.entries(keywordChecks).find(([, check]) => check === value.ref) ?? [];
    return add(prefix, name === undefined ? value : { ...value, code: _`keywords[${name}]` });
  };
}
