// The image runs the server without privileges and loses nothing, and the compose file fits it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { petstore } from '@petstore/client';
import { freePort, makeFolder, missingProgram, newFolder, skips } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, textOf } from '../../repository.ts';
import { run } from '../support/process.ts';

const deploy = 'apps/server/deploy';
const image = 'petstore';
/** Where a machine mixes the two generations of control groups, crun does not start: podman then sees only the old one. */
const hybrid = '/sys/fs/cgroup/unified';

/** The reason to skip the test of the image, and the Debian packages that end it. */
function obstacle(): { reason?: string; install?: string } {
  const missing = ['podman', 'crun', 'mmdebstrap'].filter((program) => missingProgram(program));
  if (missing.length > 0)
    return { reason: `there is no ${missing.join(' and no ')}`, install: missing.join(' ') };
  const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
  if (process.getuid?.() === 0 && mayMount) return {};
  return { reason: 'only root makes a base image, and this process may not mount' };
}
const { reason, install } = obstacle();

/** How a container runs on this machine, whose cgroups and network it shares. */
const here = [
  '--network=host',
  '--cgroups=disabled',
  '--health-interval=disable',
  '--log-driver=k8s-file',
];
const withoutPrivileges = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
];
const container = [...here, ...withoutPrivileges, '--volume=petstore-data:/data'];

describe.skipIf(skips('the image', reason, install))('the image', () => {
  let podman: Podman;
  let origin: string;

  beforeAll(async () => {
    const { folder, remove } = makeFolder('podman');
    podman = podmanIn(folder);
    try {
      await build(podman, folder);
    } catch (error) {
      remove();
      throw error;
    }
    return async () => {
      await podman('rm', '--all', '--force', '--time=0');
      remove();
    };
  });

  const isReady = () =>
    expect.poll(() => fetch(`${origin}/readyz`).then(({ status }) => status, String)).toBe(200);

  // Each test goes on with the container that the one before has left.
  test('is small, and serves as a user without privileges and without a shell', async () => {
    const size = await podman('image', 'inspect', '--format={{.Size}}', image);
    expect(Number(size)).toBeLessThan(200e6);
    const port = await freePort();
    const variables = [
      '--env=HOST=127.0.0.1',
      `--env=PORT=${port}`,
      `--env=PETSTORE_API_KEYS=me=${apiKey}`,
    ];
    await podman('run', '--detach', '--name=one', ...container, ...variables, image);
    origin = `http://127.0.0.1:${port}`;
    await isReady();
    await podman('healthcheck', 'run', 'one');
    expect(await podman('exec', 'one', 'node', '--print', 'process.getuid()')).toBe('10001\n');
    await expect(podman('exec', 'one', '/bin/sh')).rejects.toThrow(/no such file/i);
    const writing = podman('exec', 'one', 'node', '--eval', "fs.writeFileSync('/app/any', '')");
    await expect(writing).rejects.toThrow('EROFS');
  });

  test('loses nothing by SIGKILL, and ends by SIGTERM', async () => {
    const store = petstore({ baseUrl: `${origin}/v1`, apiKey });
    const pet = await store.createPet({ name: 'Rex', categoryId: 2 });
    await podman('kill', '--signal=KILL', 'one');
    await podman('wait', 'one');
    await podman('start', 'one');
    await isReady();
    expect(await store.listPets()).toEqual([pet]);
    await podman('stop', '--time=60', 'one');
    expect(await podman('inspect', '--format={{.State.ExitCode}}', 'one')).toBe('0\n');
  });

  test('creates keys', async () => {
    const command = ['keys', 'create', '--name', 'nightly'];
    expect(await podman('run', '--rm', ...container, image, ...command)).toMatch(/^pk_[\w-]+\n$/);
  });
});

interface Service {
  readonly image: string;
  readonly build?: { context: string; dockerfile: string };
  readonly environment?: Record<string, string>;
  readonly secrets?: string[];
}

test('compose.yaml names settings of the server, files that exist, and secrets that it declares', () => {
  const { services, secrets } = parse(textOf(`${deploy}/compose.yaml`));
  const args = [join(root, 'apps/server/src/main.js'), '--help'];
  const help = spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
  const all = Object.values<Service>(services);
  for (const service of all) {
    for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty([secret]);
    if (!service.build) continue;
    expect(existsSync(join(root, deploy, service.build.context, service.build.dockerfile))).toBe(
      true,
    );
    for (const name of Object.keys(service.environment ?? {})) expect(help).toContain(name);
  }
  expect(all.filter((service) => service.build)).toHaveLength(2);
});

const noProxy = missingProgram('haproxy', ['-v']) ?? missingProgram('openssl', ['version']);

test.skipIf(skips('haproxy.cfg', noProxy, 'haproxy openssl'))(
  'haproxy accepts its configuration',
  async () => {
    const folder = newFolder();
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    const request = 'req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2'.split(' ');
    await run(folder, process.env, 'openssl', ...request, '-keyout', key, '-out', certificate);
    const CERTIFICATE = join(folder, 'both.pem');
    writeFileSync(CERTIFICATE, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
    const { environment } = parse(textOf(`${deploy}/compose.yaml`)).services.proxy;
    const env = {
      ...process.env,
      ...environment,
      SERVER_1: '127.0.0.1:8080',
      SERVER_2: '127.0.0.1:8081',
      CERTIFICATE,
    };
    await run(folder, env, 'haproxy', '-c', '-f', join(root, deploy, 'haproxy.cfg'));
  },
);

/** Runs podman, and returns what it prints. */
type Podman = (...args: string[]) => Promise<string>;

/** Podman with a storage of its own in a folder. */
function podmanIn(folder: string): Podman {
  const storage = ['root', 'runroot', 'tmpdir'].map((name) => `--${name}=${join(folder, name)}`);
  const settings = ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--events-backend=none'];
  // Podman would set limits that not every root may set.
  const env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
  writeFileSync(env.CONTAINERS_CONF, '[containers]\ndefault_ulimits = []\n');
  const all = [...storage, ...settings];
  return (...args) => {
    if (!existsSync(hybrid)) return run(folder, env, 'podman', ...all, ...args);
    const script = `umount ${hybrid}; exec podman "$@"`;
    return run(folder, env, 'unshare', '--mount', 'sh', '-c', script, 'sh', ...all, ...args);
  };
}

/** Builds the image. The build uses the npm settings and the certificates of this machine. */
async function build(podman: Podman, folder: string): Promise<void> {
  const dockerfile = join(root, deploy, 'Dockerfile');
  const baseName = lineAfter('ARG BUILD_IMAGE=', dockerfile);
  await podman('import', await makeBase(folder), `docker.io/library/${baseName}`);
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const secrets = {
    npmrc: await npm('config', 'get', 'userconfig'),
    certificates: NODE_EXTRA_CA_CERTS ?? (await npm('config', 'get', 'cafile')),
  };
  const present = Object.entries(secrets).filter(([, file]) => existsSync(file));
  const flags = [
    '--isolation=chroot',
    '--network=host',
    '--pull=never',
    '--layers=false',
    '--format=docker',
    `--ignorefile=${dockerfile}.dockerignore`,
    ...present.map(([id, file]) => `--secret=id=${id},src=${file}`),
  ];
  await podman('build', ...flags, '--file', dockerfile, '--tag', image, root);
}

const debianPackages =
  'base-files bash coreutils dash findutils grep gzip libc-bin sed tar libatomic1 libstdc++6';

/**
 * Makes the base of the image, and returns it as an archive. A registry of images may be out of reach, so it consists of
 * Debian's packages, the Node that runs this, and its npm.
 */
async function makeBase(folder: string): Promise<string> {
  const base = join(folder, 'base');
  const archive = join(folder, 'base.tar');
  const merged = '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr';
  const flags = ['--mode=root', '--variant=extract', '--format=directory', merged];
  const include = `--include=${debianPackages.replaceAll(' ', ',')}`;
  const release = lineAfter('VERSION_CODENAME=', '/etc/os-release');
  await run(folder, process.env, 'mmdebstrap', ...flags, include, release, base);
  cpSync(process.execPath, join(base, 'usr/local/bin/node'));
  // `npm root --global` would return a folder of the installed Node, which has no npm.
  const cli = await npm('exec', '--call', 'node --print process.env.npm_execpath');
  const npmFolder = dirname(dirname(realpathSync(cli)));
  const copying = { recursive: true, dereference: true };
  cpSync(npmFolder, join(base, 'usr/local/lib/npm'), copying);
  const script = '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n';
  writeFileSync(join(base, 'usr/local/bin/npm'), script, { mode: 0o755 });
  await run(base, process.env, 'tar', '--create', '--file', archive, '.');
  return archive;
}

async function npm(...args: string[]): Promise<string> {
  return (await run(root, process.env, 'npm', ...args)).trim();
}

/** The rest of the line of a file that begins with a text. */
function lineAfter(start: string, file: string): string {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`${file} has no line with ${start}`);
  return line.slice(start.length);
}
