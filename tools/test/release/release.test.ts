import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identities } from './identities.ts';
import { json, latest, look, published } from './seen.ts';
import { begin, type Story } from './story.ts';

const fix = 'A first change, which is small.';
const feature = 'Animals have a mood, and can be listed by it.';
const mood = `        - name: mood
          in: query
          description: Return only animals in this mood.
          schema:
            type: string
          example: calm
`;

/** What is to be seen after a release. */
type Seen = Awaited<ReturnType<typeof look>> & Awaited<ReturnType<Story['use']>>;

let story: Story;
let [before, first, second]: [string, Seen?, Seen?] = [''];
let refused: { asked: (string | null)[]; said: string; latest: string[]; manifest: string };

beforeAll(async () => {
  story = await begin();
  before = (await json(story.checkout, 'spec/package.json')).version;

  story.change('patch', fix);
  await story.release();
  await Promise.all([
    story.in(story.caller, 'npm', 'install', '@petstore/client', '@petstore/spec'),
    story.in(story.shell, 'npm', 'install', 'petctl'),
  ]);
  first = { ...(await look(story)), ...(await story.use({})) };

  const place = '        - name: after\n          in: query\n';
  story.change('minor', feature, { 'spec/openapi.yaml': (text) => text.replace(place, mood + place) });
  refused = await releaseWithoutIdentity();
  await story.release();
  await Promise.all(
    [story.caller, story.shell].map((project) => story.in(project, 'npm', 'update', '--prefer-online')),
  );
  second = { ...(await look(story)), ...(await story.use({ mood: 'calm' }, '--mood', 'calm')) };
}, 600_000);
afterAll(() => story?.end());

/** A release in GitHub's CI, where nobody says who it is. */
async function releaseWithoutIdentity() {
  const { asked, env, close } = await identities();
  const said = await story.release(env).then(
    () => 'it was released',
    (error: Error) => error.message,
  );
  close();
  const release = join(story.checkout, 'dist/release/packages');
  const [tarball = ''] = (await readdir(release)).filter((file) => file.startsWith('petctl-'));
  const manifest = await story.in(release, 'tar', '-xzOf', tarball, 'package/package.json');
  return { asked, said, latest: await Promise.all(published.map((name) => latest(story, name))), manifest };
}

const next = (bump: 'patch' | 'minor', version: string) => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return bump === 'patch' ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
};

const releases = [
  { name: 'the first release', seen: () => first, version: () => next('patch', before), text: fix },
  { name: 'the next release', seen: () => second, version: () => next('minor', next('patch', before)), text: feature },
];

describe.each(releases)('$name', ({ seen, version, text }) => {
  const now = () => {
    const it = seen();
    if (!it) throw new Error('It was not reached.');
    return it;
  };

  test('gives every package, and the spec itself, the same next version', () => {
    expect(new Set(now().versions)).toEqual(new Set([version()]));
    expect(now().spec).toContain(`\n  version: ${version()}\n`);
  });

  test('publishes the four packages as the latest, and others can install them', () => {
    for (const { name, latest, manifest } of now().packages)
      expect({ name, latest, installed: manifest.version }).toEqual({ name, latest: version(), installed: version() });
  });

  test('writes the changelogs', () => {
    for (const changelog of now().changelogs) expect(changelog).toContain(`\n## ${version()}\n`);
    expect(now().changelogs.filter((changelog) => changelog.includes(text))).toHaveLength(1);
  });

  test('is a commit with a tag for each package, and leaves nothing behind', () => {
    expect(now().tags.sort()).toEqual(published.map((name) => `${name}@${version()}`));
    expect({ changes: now().changes, waiting: now().waiting }).toEqual({ changes: '', waiting: [] });
  });

  test('packs what a package needs, and nothing else', () => {
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

  test('leaves no range of the workspace in a manifest', () => {
    for (const { name, manifest } of now().packages) {
      expect(JSON.stringify(manifest), name).not.toMatch(/"(workspace|catalog|link|file):/);
      expect(manifest.private, name).toBeUndefined();
    }
    expect(now().packages.find(({ name }) => name === '@petstore/client')?.manifest.dependencies).toEqual({
      '@petstore/types': version(),
    });
  });

  test('packs code that imports nothing but what is a dependency', () => {
    for (const { name, imports, manifest } of now().packages) {
      const known = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      expect({ name, strange: imports.filter((each) => !known.includes(each)) }).toEqual({ name, strange: [] });
    }
  });

  test('packs code of others only in petctl, and there with their licences', () => {
    const withLicences = now().packages.filter(({ files }) => files.some((file) => file.includes('THIRD-PARTY')));
    expect(withLicences.map(({ name }) => name)).toEqual(['petctl']);
  });

  test('says what each package consists of', () => {
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
    expect(partsOf('petstore-server')).toEqual(expect.arrayContaining(['pkg:npm/express', 'pkg:npm/pg']));
    const { metadata, components } = now().boms.get(`petctl-${version()}.cdx.json`);
    expect(metadata.component.version).toBe(version());
    expect(components).toContainEqual(
      expect.objectContaining({ name: 'commander', licenses: [{ license: { id: 'MIT' } }] }),
    );
  });

  test('works for others, against a real server', () => {
    const names = (pets: { name: string }[]) => new Set(pets.map(({ name }) => name));
    expect([names(now().listed), names(now().called)]).toEqual([new Set(['Rex']), new Set(['Rex'])]);
  });
});

describe('where CI cannot say who it is', () => {
  test('provenance is asked for, and nothing is published without', () => {
    expect(refused.asked).toContain('sigstore');
    expect(refused.said).toContain('sigstore');
    expect(new Set(refused.latest)).toEqual(new Set([next('patch', before)]));
  });

  test('the packages say which repository they are from', () => {
    expect(JSON.parse(refused.manifest).repository).toEqual({
      type: 'git',
      url: 'git+https://github.com/somebody/petstore.git',
      directory: 'apps/petctl',
    });
  });
});

test('there is nothing to do where everything is published', async () => {
  expect(await story.release()).toContain('The registry has every version already.');
});

test('a release is made from main alone', async () => {
  await story.in(story.checkout, 'git', 'switch', '--quiet', '--create', 'aside');
  await expect(story.release()).rejects.toThrow('this is aside');
  await story.in(story.checkout, 'git', 'switch', '--quiet', 'main');
});

test('a release is not made from what is not committed', async () => {
  await writeFile(join(story.checkout, 'left-lying.txt'), '');
  await expect(story.release()).rejects.toThrow('left-lying.txt');
  await story.in(story.checkout, 'git', 'clean', '--quiet', '--force', 'left-lying.txt');
});
