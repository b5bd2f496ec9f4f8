import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A third-party package in petctl's bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Its licence texts. */
  readonly texts: readonly string[];
}

/** The third-party packages that these files belong to. */
export function bundledPackages(files: Iterable<string>): BundledPackage[] {
  const folders = [...files].flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (!license || texts.length === 0) throw new Error(`${folder} is bundled, but has no licence text.`);
    return { name, version, license, texts };
  });
}

/** The licences of all bundled packages. */
export function licences(packages: readonly BundledPackage[]): string {
  const rule = '-'.repeat(80);
  return [
    'petctl contains code of these packages. The licence of each follows its name.',
    ...packages.map(({ name, version, license, texts }) =>
      [rule, `${name} ${version} (${license})`, ...texts].join('\n\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
