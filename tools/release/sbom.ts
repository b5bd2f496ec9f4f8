import { said } from './run.ts';

/** As much of CycloneDX as is used here. */
interface Bom {
  readonly components: readonly { readonly purl: string }[];
}

const list = (name: string, ...flags: string[]): Bom =>
  JSON.parse(said('pnpm', 'sbom', '--sbom-format', 'cyclonedx', '--filter', name, ...flags));

/** What a package needs on any platform, bundled or not. pnpm knows the licences only of what is installed here. */
export function sbom(name: string): Bom {
  const needed = list(name, '--prod', '--lockfile-only');
  const installed = new Map(list(name).components.map((component) => [component.purl, component]));
  return { ...needed, components: needed.components.map((component) => installed.get(component.purl) ?? component) };
}
