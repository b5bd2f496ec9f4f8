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

const missing = ['podman', 'crun', 'mmdebstrap'].filter((program) => missingProgram(program));
const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;
const reason =
  missing.length > 0
    ? `there is no ${missing.join(' and no ')}`
    : mayMount || 'only root makes a base image, and this process may not mount';

describe.skipIf(
  skips('the image', reason === true ? undefined : reason, missing.join(' ') || undefined),
)('the image', () => {
  let podman: (...args: string[]) => Promise<string>;
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

  test('has no shell, is small, and serves without privileges: a kill loses nothing, and SIGTERM ends it', async () => {
    expect(Number(await podman('image', 'inspect', '--format={{.Size}}', image))).toBeLessThan(
      200e6,
    );
    const port = String(await freePort());
    const variables = { HOST: '127.0.0.1', PORT: port, PETSTORE_API_KEYS: `me=${apiKey}` };
    const here = [
      '--network=host',
      '--cgroups=disabled',
      '--health-interval=disable',
      '--log-driver=k8s-file',
    ];
    const strict = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
    ];
    const env = Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`);
    await podman(
      'run',
      '--detach',
      '--name=one',
      ...here,
      ...strict,
      '--volume=petstore-data:/data',
      ...env,
      image,
    );
    const origin = `http://127.0.0.1:${port}`;
    const ready = () =>
      expect
        .poll(() => fetch(`${origin}/readyz`).then(({ status }) => status, String), {
          timeout: 400_000,
        })
        .toBe(200);
    await ready();
    const store = petstore({ baseUrl: `${origin}/v1`, apiKey });
    const pet = await store.createPet({ name: 'Rex', categoryId: 2 });
    await podman('healthcheck', 'run', 'one');
    expect(await podman('exec', 'one', 'node', '--print', 'process.getuid()')).toBe('10001\n');
    await expect(podman('exec', 'one', '/bin/sh')).rejects.toThrow(/no such file/i);
    await expect(
      podman('exec', 'one', 'node', '--eval', "fs.writeFileSync('/app/any', '')"),
    ).rejects.toThrow('EROFS');

    await podman('kill', '--signal=KILL', 'one');
    await podman('wait', 'one');
    await podman('start', 'one');
    await ready();
    expect(await store.listPets()).toEqual([pet]);
    await podman('stop', '--time=60', 'one');
    expect(await podman('inspect', '--format={{.State.ExitCode}}', 'one')).toBe('0\n');

    const files = ['--volume=petstore-data:/data', ...here, ...strict];
    const made = await podman(
      'run',
      '--rm',
      ...files,
      image,
      'keys',
      'create',
      '--name',
      'nightly',
    );
    expect(made).toMatch(/^pk_[\w-]+\n$/);
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
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const request = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-days',
      '2',
    ];
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

/** Podman with a storage of its own in a folder. */
function podmanIn(folder: string) {
  const storage = ['root', 'runroot', 'tmpdir'].map((name) => `--${name}=${join(folder, name)}`);
  const settings = ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--events-backend=none'];
  // Podman would set limits that not every root may set.
  const env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
  writeFileSync(env.CONTAINERS_CONF, '[containers]\ndefault_ulimits = []\n');
  const all = [...storage, ...settings];
  return (...args: string[]) => {
    if (!existsSync(hybrid)) return run(folder, env, 'podman', ...all, ...args);
    const script = `umount ${hybrid}; exec podman "$@"`;
    return run(folder, env, 'unshare', '--mount', 'sh', '-c', script, 'sh', ...all, ...args);
  };
}

/**
 * Builds the image on a base image that is made here of Debian's packages, with the Node that runs this and its npm: a registry of
 * images may be out of reach. The build uses the npm settings and the certificates of this machine.
 */
async function build(
  podman: (...args: string[]) => Promise<string>,
  folder: string,
): Promise<void> {
  const [base, archive] = [join(folder, 'base'), join(folder, 'base.tar')];
  const packages =
    'base-files bash coreutils dash findutils grep gzip libc-bin sed tar libatomic1 libstdc++6';
  const [, release = 'stable'] =
    /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const merged = '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr';
  const flags = ['--mode=root', '--variant=extract', '--format=directory', merged];
  const include = `--include=${packages.replaceAll(' ', ',')}`;
  await run(folder, process.env, 'mmdebstrap', ...flags, include, release, base);
  cpSync(process.execPath, join(base, 'usr/local/bin/node'));
  const npm = (...args: string[]) =>
    run(root, process.env, 'npm', ...args).then((text) => text.trim());
  // `npm root --global` would return a folder of the pinned Node, which has no npm.
  const cli = await npm('exec', '--call', 'node --print process.env.npm_execpath');
  cpSync(dirname(dirname(realpathSync(cli))), join(base, 'usr/local/lib/npm'), {
    recursive: true,
    dereference: true,
  });
  const script = '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n';
  writeFileSync(join(base, 'usr/local/bin/npm'), script, { mode: 0o755 });
  await run(base, process.env, 'tar', '--create', '--file', archive, '.');
  const dockerfile = join(root, deploy, 'Dockerfile');
  const [, name = ''] = /^ARG BUILD_IMAGE=(.+)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  await podman('import', archive, `docker.io/library/${name}`);
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const certificates = NODE_EXTRA_CA_CERTS ?? (await npm('config', 'get', 'cafile'));
  const files = Object.entries({ npmrc: await npm('config', 'get', 'userconfig'), certificates });
  const secrets = files
    .filter(([, file]) => existsSync(file))
    .map(([id, file]) => `--secret=id=${id},src=${file}`);
  const mode = [
    '--isolation=chroot',
    '--network=host',
    '--pull=never',
    '--layers=false',
    '--format=docker',
  ];
  const ignored = `--ignorefile=${dockerfile}.dockerignore`;
  await podman('build', ...mode, '--file', dockerfile, ignored, ...secrets, '--tag', image, root);
}
