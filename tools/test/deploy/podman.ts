import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, missingProgram, skips } from '@petstore/testing';
import { root, textOf } from '../../repository.ts';
import { type Env, run } from '../support/process.ts';

const deploy = join(root, 'apps/server/deploy');
export const IMAGE = 'petstore';

/** Where a machine mixes the two generations of control groups, crun does not start: podman then sees only the old one. */
const HYBRID = '/sys/fs/cgroup/unified';

/** The programs that make a base image, run containers and balance their load; each is in the Debian package of its name. */
const programs = { podman: '--version', crun: '--version', mmdebstrap: '--version', haproxy: '-v' };

/** Whether containers cannot be tested here. */
export function skipsContainers(what: string): boolean {
  if (process.platform !== 'linux') return skips(what, 'containers are run on Linux');
  const missing = Object.entries(programs).flatMap(([program, flag]) =>
    missingProgram(program, [flag]) ? program : [],
  );
  if (missing.length > 0) return skips(what, `there is no ${missing.join(' and no ')}`, missing.join(' '));
  const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;
  return skips(what, mayMount ? undefined : 'only root makes a base image, and this process may not mount');
}

/** Podman with a storage of its own. */
export interface Podman {
  (...args: string[]): Promise<string>;
  /** Starts a container on the network of this machine. */
  start(name: string, flags: readonly string[], env: Env, ...command: string[]): Promise<void>;
  /** Removes all containers and images. */
  remove(): Promise<void>;
}

export function newPodman(): Podman {
  const { folder, remove } = makeFolder('podman');
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--tmpdir', join(folder, 'tmp')];
  const settings = ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--events-backend=none'];
  // Podman would set limits that not every root may set.
  const env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
  writeFileSync(env.CONTAINERS_CONF, '[containers]\ndefault_ulimits = []\n');
  const call = (...args: string[]) => {
    const all = [...storage, ...settings, ...args];
    if (!existsSync(HYBRID)) return run(folder, env, 'podman', ...all);
    return run(folder, env, 'unshare', '--mount', 'sh', '-c', `umount ${HYBRID}; exec podman "$@"`, 'sh', ...all);
  };
  return Object.assign(call, {
    start: async (name: string, flags: readonly string[], env: Env, ...command: string[]) => {
      const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      // systemd, whose timers would check the health, does not run everywhere: the test does it.
      const here = ['--network=host', '--cgroups=disabled', '--health-interval=disable'];
      await call(
        'run',
        '--detach',
        '--log-driver=k8s-file',
        '--name',
        name,
        ...here,
        ...flags,
        ...variables,
        IMAGE,
        ...command,
      );
    },
    remove: async () => {
      await call('rm', '--all', '--force', '--time=0');
      remove();
    },
  });
}

/**
 * Builds the image as its page says, on a base image that is made here of Debian's packages, with the Node that runs this and
 * its npm: a registry of images may be out of reach. The build uses the npm settings and the certificates of this machine.
 */
export async function buildImage(podman: Podman): Promise<void> {
  const { folder, remove } = makeFolder('image');
  try {
    const base = join(folder, 'base');
    const essential = [
      'base-files',
      'bash',
      'coreutils',
      'dash',
      'findutils',
      'grep',
      'gzip',
      'libc-bin',
      'sed',
      'tar',
    ];
    await run(
      folder,
      process.env,
      'mmdebstrap',
      ...[
        '--mode=root',
        '--variant=extract',
        '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
        '--format=directory',
      ],
      `--include=${[...essential, 'libatomic1', 'libstdc++6'].join(',')}`,
      // The release of this machine, whose keys it has.
      ...[/^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable', base],
    );
    cpSync(process.execPath, join(base, 'usr/local/bin/node'));
    const npm = join(base, 'usr/local/lib/npm');
    cpSync(await folderOfNpm(), npm, { recursive: true, dereference: true });
    writeFileSync(join(base, 'usr/local/bin/npm'), '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n', {
      mode: 0o755,
    });
    const [, name = ''] = /^ARG BUILD_IMAGE=(.+)$/m.exec(textOf('apps/server/deploy/Dockerfile')) ?? [];
    const archive = join(folder, 'base.tar');
    await run(base, process.env, 'tar', '--create', '--file', archive, '.');
    rmSync(base, { recursive: true });
    await podman('import', archive, name.includes('/') ? name : `docker.io/library/${name}`);
    await podman(
      ...['build', '--isolation=chroot', '--network=host', '--pull=never', '--layers=false', '--format=docker'],
      ...['--file', join(deploy, 'Dockerfile'), '--ignorefile', join(deploy, 'Dockerfile.dockerignore')],
      ...secrets(await setting('userconfig'), process.env.NODE_EXTRA_CA_CERTS ?? (await setting('cafile'))),
      ...['--tag', IMAGE, root],
    );
  } finally {
    remove();
  }
}

const setting = async (name: string) => (await run(root, process.env, 'npm', 'config', 'get', name)).trim();

function secrets(npmrc: string, certificates: string): string[] {
  const files = Object.entries({ npmrc, certificates }).filter(([, file]) => existsSync(file));
  return files.flatMap(([id, file]) => ['--secret', `id=${id},src=${file}`]);
}

/** Returns the folder of the npm in PATH. `npm root --global` would return a folder of the pinned Node, which has no npm. */
async function folderOfNpm(): Promise<string> {
  const cli = await run(root, process.env, 'npm', 'exec', '--call', 'node --print process.env.npm_execpath');
  return dirname(dirname(realpathSync(cli.trim())));
}
