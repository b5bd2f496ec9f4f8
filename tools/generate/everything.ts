// Apart from the packages, so that whoever generates those alone needs nothing of the server.
import { checksModule } from './checks.ts';
import { sorted } from './document.ts';
import { generatePackages, header, packageFolders } from './generate.ts';
import type { Model } from './model.ts';

const server = 'apps/server/src/gen';

/** All folders that hold generated code and nothing else, relative to the root of the repository. */
export const generatedFolders: readonly string[] = [...packageFolders, server];

/** All generated files by their paths: those of the packages, and the server's. */
export async function generateEverything(model: Model): Promise<Map<string, string>> {
  const operations = model.rows.map(({ operation }) => operation);
  const checks = checksModule(header, sorted(model.document), operations);
  return new Map([...(await generatePackages(model)), [`${server}/checks.gen.ts`, checks]]);
}
