import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Somebody else's package of which petctl's files hold code. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** What has to go along with its code. */
  readonly texts: readonly string[];
}

/** The packages of others that these files belong to. */
export function bundledPackages(files: Iterable<string>): BundledPackage[] {
  const folders = [...files].flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (!license || texts.length === 0)
      throw new Error(`${folder} is bundled, and has no licence to go along with it.`);
    return { name, version, license, texts };
  });
}

/** The page that tells whose code petctl holds. */
export function licences(packages: readonly BundledPackage[]): string {
  const rule = '-'.repeat(80);
  return [
    'petctl holds code of these packages. Each has a licence of its own, which follows its name.',
    ...packages.map(({ name, version, license, texts }) =>
      [rule, `${name} ${version} (${license})`, ...texts].join('\n\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
