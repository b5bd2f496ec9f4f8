import { petctlBundle } from 'petctl/build/bundle';
import { takenIn } from 'petctl/build/taken-in';
import { said } from './run.ts';

interface Component {
  readonly purl: string;
  readonly 'bom-ref': string;
}

/** As much of CycloneDX as is looked at here. */
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const asked = (name: string, ...flags: string[]): Bom =>
  JSON.parse(said('pnpm', 'sbom', '--sbom-format', 'cyclonedx', '--filter', name, ...flags));

/**
 * What a package consists of, and needs on any platform. pnpm knows the licences only of what is installed here, and
 * takes what petctl's file holds for a matter of development.
 */
export async function sbom(name: string): Promise<Bom> {
  const needed = asked(name, '--prod', '--lockfile-only');
  const installed = new Map(asked(name).components.map((component) => [component.purl, component]));
  const bundled = (name === 'petctl' ? takenIn((await petctlBundle()).sources) : []).map((each) => {
    const component = installed.get(`pkg:npm/${each.name.replace('@', '%40')}@${each.version}`);
    if (!component) throw new Error(`${each.name} ${each.version} is bundled, and pnpm does not list it.`);
    return component;
  });
  const self = needed.metadata.component['bom-ref'];
  const refs = bundled.map((component) => component['bom-ref']);
  return {
    ...needed,
    components: [...needed.components.map((each) => installed.get(each.purl) ?? each), ...bundled],
    dependencies: [
      ...needed.dependencies.map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: ref === self ? [...dependsOn, ...refs] : dependsOn,
      })),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}
