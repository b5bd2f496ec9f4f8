// All generated files. Only this module loads the server, whose validator compiles the checks of requests.
import { generateChecks } from '@petstore/server/checks-generator';
import type { Operation } from '@petstore/types';
import { sorted } from './data-modules.ts';
import { generatePackages, header, packageFolders } from './generate.ts';
import type { Model } from './model.ts';

const server = 'apps/server/src/gen';

/** All folders that contain only generated code, relative to the root of the repository. */
export const generatedFolders: readonly string[] = [...packageFolders, server];

/** All generated files by their paths: the files of the packages and of the server. */
export async function generateEverything(model: Model): Promise<Map<string, string>> {
  const operations = model.operations.map(({ operation }) => operation);
  const checks = checksModule(sorted(model.document), operations);
  return new Map([...(await generatePackages(model)), [`${server}/checks.gen.ts`, checks]]);
}

/** `checks.gen.ts`: the compiled checks of requests. The checks are compiled here, so the server starts faster. */
export function checksModule(document: object, operations: readonly Operation[]): string {
  const [parameters, bodies] = generateChecks(document as Parameters<typeof generateChecks>[0], operations);
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
