// Writes what the server's validator compiles of the spec, so that a start does not have to.
import { checkCode } from '@petstore/server/check-code';
import type { Operation } from '@petstore/types';

/** `checks.gen.ts`: the checks of requests as the validator compiles them, as two functions that export one for each operation. */
export function checksModule(header: string, document: object, operations: readonly Operation[]): string {
  const [parameters, bodies] = checkCode(document as Parameters<typeof checkCode>[0], operations);
  return `// @ts-nocheck: a library has written it.
${header}

type Evaluate = (exports: object, require: (name: string) => unknown, keywords: object, self?: undefined) => void;

/** Exports a check of the parameters of each operation. */
export const parameterChecks: Evaluate = (exports, require, keywords, self) => {
${parameters}
};

/** Exports a check of the body of each operation. */
export const bodyChecks: Evaluate = (exports, require, keywords, self) => {
${bodies}
};
`;
}
