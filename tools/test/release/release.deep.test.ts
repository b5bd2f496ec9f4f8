import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startIdentityProvider } from './identity-provider.ts';
import { type Scenario, startScenario } from './scenario.ts';
import { json, latest, published, stateAfter } from './state.ts';

const fix = 'A first change, which is small.';
const feature = 'Pets have a mood, and can be listed by it.';
const mood = `        - name: mood
          in: query
          description: Return only pets in this mood.
          schema:
            type: string
          example: calm
`;

type State = Awaited<ReturnType<typeof stateAfter>> & Awaited<ReturnType<Scenario['use']>>;

let scenario: Scenario;
let [before, first, second]: [string, State?, State?] = [''];
let withoutIdentity: { audiences: (string | null)[]; message: string; latest: string[]; manifest: string };

beforeAll(async () => {
  scenario = await startScenario();
  before = (await json(scenario.checkout, 'spec/package.json')).version;

  scenario.change('patch', fix);
  await scenario.release();
  await Promise.all([
    scenario.in(scenario.caller, 'npm', 'install', '@petstore/client', '@petstore/server', '@petstore/spec'),
    scenario.in(scenario.shell, 'npm', 'install', 'petctl'),
  ]);
  first = { ...(await stateAfter(scenario)), ...(await scenario.use({})) };

  const parameter = '        - name: after\n          in: query\n';
  scenario.change('minor', feature, { 'spec/openapi.yaml': (text) => text.replace(parameter, mood + parameter) });
  withoutIdentity = await publishWithoutIdentity();
  // The registry of the test knows no provenance. The second run finds all versions published, and skips them.
  await scenario.publish({ NPM_CONFIG_PROVENANCE: 'false' });
  await scenario.publish({ NPM_CONFIG_PROVENANCE: 'false' });
  await scenario.tag();
  await Promise.all(
    [scenario.caller, scenario.shell].map((project) => scenario.in(project, 'npm', 'update', '--prefer-online')),
  );
  second = { ...(await stateAfter(scenario)), ...(await scenario.use({ mood: 'calm' }, '--mood', 'calm')) };
}, 600_000);
afterAll(() => scenario?.end());

/** Runs the jobs `pack` and `publish`. GitHub's identity provider rejects the request of `publish`. */
async function publishWithoutIdentity() {
  const { audiences, jobs, identity, close } = await startIdentityProvider();
  await scenario.pack(jobs);
  const message = await scenario.publish({ NPM_CONFIG_PROVENANCE: 'true', ...jobs, ...identity }).then(
    () => 'it was released',
    (error: Error) => error.message,
  );
  await close();
  const release = join(scenario.checkout, 'dist/release/packages');
  const [tarball = ''] = (await readdir(release)).filter((file) => file.startsWith('petctl-'));
  const manifest = await scenario.in(release, 'tar', '-xzOf', tarball, 'package/package.json');
  return { audiences, message, latest: await Promise.all(published.map((name) => latest(scenario, name))), manifest };
}

const next = (bump: 'patch' | 'minor', version: string) => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return bump === 'patch' ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
};

const releases = [
  { name: 'the first release', state: () => first, version: () => next('patch', before), text: fix },
  { name: 'the next release', state: () => second, version: () => next('minor', next('patch', before)), text: feature },
];

describe.each(releases)('$name', ({ state, version, text }) => {
  const now = () => {
    const reached = state();
    if (!reached) throw new Error('It was not reached.');
    return reached;
  };

  test('gives every package, and the spec itself, the same next version', () => {
    expect(new Set(now().versions)).toEqual(new Set([version()]));
    expect(now().spec).toContain(`\n  version: ${version()}\n`);
  });

  test('publishes the five packages as the latest, and others can install them', () => {
    for (const { name, latest, manifest } of now().packages)
      expect({ name, latest, installed: manifest.version }).toEqual({ name, latest: version(), installed: version() });
  });

  test('writes the changelogs', () => {
    for (const changelog of now().changelogs) expect(changelog).toContain(`\n## ${version()}\n`);
    expect(now().changelogs.filter((changelog) => changelog.includes(text))).toHaveLength(1);
  });

  test('is a commit with a tag for each package, and leaves no changes and no changesets', () => {
    expect(now().tags.sort()).toEqual(published.map((name) => `${name}@${version()}`));
    expect({ changes: now().changes, waiting: now().waiting }).toEqual({ changes: '', waiting: [] });
  });

  test('packs only the files that a package needs', () => {
    for (const { name, files } of now().packages) {
      const top = files.filter((file) => !file.includes('/'));
      const content = name === '@petstore/spec' ? 'openapi.yaml' : 'dist';
      expect({ name, top: top.sort() }).toEqual({
        name,
        top: ['LICENSE', 'README.md', content, 'package.json'].sort(),
      });
      expect(files.filter((file) => /\.(tsx?|map)$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
    }
  });

  test('writes no range of the workspace into a manifest', () => {
    for (const { name, manifest } of now().packages) {
      expect(JSON.stringify(manifest), name).not.toMatch(/"(workspace|catalog|link|file):/);
      expect(manifest.private, name).toBeUndefined();
    }
    expect(now().packages.find(({ name }) => name === '@petstore/client')?.manifest.dependencies).toEqual({
      '@petstore/types': version(),
    });
  });

  test('packs code that imports only dependencies', () => {
    for (const { name, imports, manifest } of now().packages) {
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      expect({ name, undeclared: imports.filter((each) => !declared.includes(each)) }).toEqual({
        name,
        undeclared: [],
      });
    }
  });

  test('packs third-party code only in petctl and the server, with its licences', () => {
    const withLicences = now().packages.filter(({ files }) => files.some((file) => file.includes('THIRD-PARTY')));
    expect(withLicences.map(({ name }) => name)).toEqual(['@petstore/server', 'petctl']);
  });

  test('writes an SBOM for each package', () => {
    const partsOf = (name: string) =>
      now()
        .boms.get(`${name}-${version()}.cdx.json`)
        ?.components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]*$/, ''))
        .sort();
    expect(partsOf('petstore-spec')).toEqual([]);
    expect(partsOf('petstore-types')).toEqual([]);
    expect(partsOf('petstore-client')).toEqual(['pkg:npm/%40petstore/types']);
    expect(partsOf('petctl')).toEqual(
      expect.arrayContaining(['pkg:npm/commander', 'pkg:npm/jq-wasm', 'pkg:npm/%40napi-rs/keyring-win32-x64-msvc']),
    );
    expect(partsOf('petstore-server')).toEqual(
      expect.arrayContaining(['pkg:npm/express', 'pkg:npm/pg', 'pkg:npm/swagger-ui-dist']),
    );
    const { metadata, components } = now().boms.get(`petctl-${version()}.cdx.json`);
    expect(metadata.component.version).toBe(version());
    expect(components).toContainEqual(
      expect.objectContaining({ name: 'commander', licenses: [{ license: { id: 'MIT' } }] }),
    );
  });

  test('works for users, against a real server', () => {
    const names = (pets: { name: string }[]) => new Set(pets.map(({ name }) => name));
    expect([names(now().listed), names(now().called)]).toEqual([new Set(['Rex']), new Set(['Rex'])]);
  });
});

describe('if the publishing job cannot prove its identity', () => {
  test('provenance is requested, and nothing is published without it', () => {
    expect(withoutIdentity.audiences).toContain('sigstore');
    expect(withoutIdentity.message).toContain('retrieving identity token');
    expect(new Set(withoutIdentity.latest)).toEqual(new Set([next('patch', before)]));
  });

  test('the packages name their repository', () => {
    expect(JSON.parse(withoutIdentity.manifest).repository).toEqual({
      type: 'git',
      url: 'git+https://github.com/somebody/petstore.git',
      directory: 'apps/petctl',
    });
  });
});

test('a tarball that is not the one of the plan is not published', async () => {
  const folder = join(scenario.checkout, 'dist/release');
  const plan = await readFile(join(folder, 'publish-plan.json'), 'utf8');
  await writeFile(join(folder, 'publish-plan.json'), plan.replace('sha256-', 'sha256-0'));
  onTestFinished(() => writeFile(join(folder, 'publish-plan.json'), plan));
  await expect(scenario.publish({})).rejects.toThrow('is not the file of the plan');
});

test('a release ends early if everything is published', async () => {
  expect(await scenario.release()).toContain('The registry already has every version.');
});

test('a release with a misspelt command fails', async () => {
  const command = scenario.in(scenario.checkout, 'npm', 'run', 'release', '--', 'verison');
  await expect(command).rejects.toThrow("Unknown command 'verison'");
});

test('a release from another branch than main fails', async () => {
  await scenario.in(scenario.checkout, 'git', 'switch', '--quiet', '--create', 'aside');
  onTestFinished(async () => void (await scenario.in(scenario.checkout, 'git', 'switch', '--quiet', 'main')));
  await expect(scenario.release()).rejects.toThrow('The branch is aside: switch to main');
});

test('a release with uncommitted changes fails', async () => {
  await writeFile(join(scenario.checkout, 'left-lying.txt'), '');
  onTestFinished(() => rm(join(scenario.checkout, 'left-lying.txt')));
  await expect(scenario.release()).rejects.toThrow('left-lying.txt');
});
